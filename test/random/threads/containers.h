/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads of random programs share: a stack, slots, a ring, a treap, a map. Part of
 * shared.h.
 */

/* ---- items that go from thread to thread: a stack, slots, a ring ---- */

struct item {
  struct item managed *next;
  ulong value;
  ref what; /* which only the item leads to */
};
typedef struct item managed *item;

static _Atomic(item) stack;
static _Atomic(item) slots[SLOTS];
static struct {
  pthread_mutex_t lock;
  item managed *items;
  ulong first, used;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static item new_item(ulong value)
{
  item made = cairn_new(struct item);

  made->value = value;
  made->what = list(value);
  return made;
}

static void take(item taken)
{
  if (taken == NULL)
    return;
  must(sum_list(taken->what) == sum_list(list(taken->value)));
  give(taken->value);
}

static void push(ulong value)
{
  item made = new_item(value), top = atomic_load(&stack);

  do
    made->next = top;
  while (!atomic_compare_exchange_weak(&stack, &top, made));
}

static item pop(void)
{
  item top = atomic_load(&stack);

  while (top && !atomic_compare_exchange_weak(&stack, &top, top->next))
    continue;
  return top;
}

static void pop_all(void)
{
  for (item all = atomic_exchange(&stack, NULL); all; all = all->next)
    take(all);
}

static void swap_slot(ulong value)
{
  take(atomic_exchange(&slots[value % SLOTS], new_item(value)));
}

static item ring_take(void)
{
  item taken = NULL;

  pthread_mutex_lock(&ring.lock);
  if (ring.used > 0) {
    taken = ring.items[ring.first];
    ring.items[ring.first] = NULL;
    ring.first = (ring.first + 1) % RING;
    ring.used--;
  }
  pthread_mutex_unlock(&ring.lock);
  return taken;
}

static int ring_put(item made)
{
  int put = 0;

  pthread_mutex_lock(&ring.lock);
  if (ring.items == NULL)
    ring.items = cairn_new_array(item, RING);
  if (ring.used < RING) {
    ring.items[(ring.first + ring.used++) % RING] = made;
    put = 1;
  }
  pthread_mutex_unlock(&ring.lock);
  return put;
}

static void send(ulong value)
{
  item made = new_item(value);

  while (!ring_put(made))
    take(ring_take());
}

static void drain(void)
{
  item taken;

  pop_all();
  for (int i = 0; i < SLOTS; i++)
    take(atomic_exchange(&slots[i], NULL));
  while ((taken = ring_take()))
    take(taken);
}

/* ---- a treap that never changes: its root does ----
 * Keys have an owner, and only the owner reads what is there. */

typedef struct tree managed *tree;
struct tree {
  tree left, right;
  ulong key, count;
  ref what;
};

static _Atomic(tree) root;

static tree new_tree(tree like, tree left, tree right)
{
  tree made = cairn_new(struct tree);

  *made = *like;
  made->left = left;
  made->right = right;
  return made;
}

static tree tree_put(tree t, ulong key, ref what)
{
  if (t == NULL) {
    t = cairn_new(struct tree);
    t->key = key;
    t->count = 1;
    t->what = what;
    return t;
  }
  if (key == t->key) {
    t = new_tree(t, t->left, t->right);
    t->count++;
    t->what = what;
    return t;
  }
  int left = key < t->key;
  tree below = tree_put(left ? t->left : t->right, key, what);
  if (hash(below->key) <= hash(t->key))
    return new_tree(t, left ? below : t->left, left ? t->right : below);
  return left ? new_tree(below, below->left, new_tree(t, below->right, t->right))
              : new_tree(below, new_tree(t, t->left, below->left), below->right);
}

static tree tree_find(tree t, ulong key)
{
  while (t && t->key != key)
    t = key < t->key ? t->left : t->right;
  return t;
}

static ulong own_key(ulong x)
{
  return x % 32 * OWNERS + self;
}

static void plant(ulong x, ref what)
{
  ulong key = own_key(x);
  tree old = atomic_load(&root);

  while (!atomic_compare_exchange_strong(&root, &old, tree_put(old, key, self == STORM ? NIL : what)))
    continue;
}

static ref look_up(ulong x)
{
  tree found = tree_find(atomic_load(&root), own_key(x));

  return found ? found->what : NIL;
}

static void mix_tree(tree t)
{
  if (t == NULL)
    return;
  mix_tree(t->left);
  mix(t->key * 3 + t->count + value_of(t->what));
  mix_tree(t->right);
}

/* ---- a map under a lock, with text as keys ---- */

struct text {
  ulong length;
  unsigned char bytes[];
};
struct binding {
  struct binding managed *next;
  struct text managed *key;
  ulong count;
  ref what;
};
typedef struct binding managed *binding;

static struct {
  pthread_mutex_t lock;
  binding managed *buckets;
  ulong length, used;
} map = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct text managed *text_of(ulong key)
{
  char digits[24];
  ulong length = (ulong)snprintf(digits, sizeof digits, "%lx", hash(key));
  struct text managed *text = cairn_new_flex_uninit(struct text, length + 1, bytes);

  text->length = length;
  cairn_copy_in(text->bytes, digits, length + 1);
  return text;
}

static ulong hash_text(struct text managed *text)
{
  ulong h = 5;

  for (ulong i = 0; i < text->length; i++)
    h = h * 31 + text->bytes[i];
  return h;
}

static int same_text(struct text managed *a, struct text managed *b)
{
  ulong i = 0;

  while (i < a->length && i < b->length && a->bytes[i] == b->bytes[i])
    i++;
  return i == a->length && i == b->length;
}

static void grow_map(void)
{
  ulong length = map.length ? 2 * map.length : 4;
  binding managed *buckets = cairn_new_array(binding, length);

  for (ulong i = 0; i < map.length; i++) {
    for (binding e = map.buckets[i], next; e; e = next) {
      ulong at = hash_text(e->key) % length;
      next = e->next;
      e->next = buckets[at];
      buckets[at] = e;
    }
  }
  map.buckets = buckets;
  map.length = length;
}

static binding map_entry(struct text managed *key)
{
  binding e = map.length ? map.buckets[hash_text(key) % map.length] : NULL;

  while (e && !same_text(e->key, key))
    e = e->next;
  return e;
}

static void count_text(ulong x, ref what)
{
  struct text managed *key = text_of(own_key(x));

  pthread_mutex_lock(&map.lock);
  binding e = map_entry(key);
  if (e == NULL) {
    if (map.used++ >= map.length)
      grow_map();
    e = cairn_new(struct binding);
    e->key = key;
    e->next = map.buckets[hash_text(key) % map.length];
    map.buckets[hash_text(key) % map.length] = e;
  }
  e->count++;
  e->what = self == STORM ? NIL : what;
  pthread_mutex_unlock(&map.lock);
}

static ref read_text(ulong x)
{
  struct text managed *key = text_of(own_key(x));

  pthread_mutex_lock(&map.lock);
  binding e = map_entry(key);
  ref found = e ? e->what : NIL;
  pthread_mutex_unlock(&map.lock);
  return found;
}

static void mix_map(void)
{
  ulong all = 0;

  for (ulong i = 0; i < map.length; i++)
    for (binding e = map.buckets[i]; e; e = e->next)
      all += hash(hash_text(e->key) + e->count) + value_of(e->what);
  mix(all);
}
