// Goes to the end of a page of `cairn heap --html`, in a browser: uses the page, and checks what it shows.
// The title says what came of it.
function check(holds, what) {
  if (!holds)
    throw new Error(what);
}

// Rectangles: within the map, none over another, each as large as its share.
function checkMap(measure, rows) {
  const boxes = [...document.querySelectorAll('#map div')];
  const places = boxes.map(box => ['left', 'top', 'width', 'height'].map(k => parseFloat(box.style[k])));
  const total = rows.reduce((sum, row) => sum + row[measure], 0), least = 1e-3;
  check(boxes.length === rows.filter(row => row[measure] > 0).length, 'a box for each type');
  places.forEach(([x, y, w, h], i) => {
    const row = rows.find(r => r[0] === boxes[i].textContent);
    check(Math.abs(w * h / 1e4 - row[measure] / total) < least, `area of ${row[0]}`);
    check(x > -least && y > -least && x + w < 100 + least && y + h < 100 + least, `place of ${row[0]}`);
    places.slice(0, i).forEach(([a, b, c, d]) =>
      check(x + w < a + least || a + c < x + least || y + h < b + least || b + d < y + least, `overlap of ${row[0]}`));
  });
}

function use(id, value, event) {
  const box = document.getElementById(id);
  box.value = value;
  box.dispatchEvent(new Event(event));
}

function checkPage() {
  const lines = id => [...document.querySelectorAll(`#${id} tbody tr`)];
  checkMap(2, heap.kinds);
  check(lines('kinds').length === heap.kinds.length, 'a line for each type');
  check(lines('objects').length === heap.objects.length, 'a line for each object');
  for (const measure of [1, 3]) {
    use('measure', String(measure), 'change');
    checkMap(measure, heap.kinds);
  }
  document.querySelector('#kinds th').click();
  const counts = lines('kinds').map(line => Number(line.firstChild.textContent.replace(/\D/g, '')));
  check(counts.every((n, i) => i === 0 || counts[i - 1] >= n), 'sorted by number');
  const name = heap.kinds.at(-1)[0];
  use('filter', name, 'input');
  checkMap(3, heap.kinds.filter(row => row[0].includes(name)));
  use('filter', '', 'input');
  document.querySelector('#map div').click();
  check(document.getElementById('filter').value !== '', 'a click on a box chooses its type');
  document.querySelector('#map div').click();
  lines('objects')[0].click();
  const path = document.querySelector('#objects pre').textContent;
  check(path === heap.objects[0][4].join('\n') && path.includes('->'), 'a path');
  lines('objects')[0].click();
  check(!document.querySelector('#objects pre'), 'no path after the second click');
  return path;
}

try {
  document.title = `checked: ${checkPage()}`;
} catch (error) {
  document.title = `failed: ${error.message}`;
}
