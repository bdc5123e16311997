/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of words.h as a module for Lua 5.4: native code that keeps a handle in a userdata.
 *
 *   local words = require 'words'
 *   local table = words.new()
 *   print(table:add('apple'), #table)
 */
#include <lauxlib.h>
#include <lua.h>
#include "words.h"

static const char type_name[] = "words";

static struct cairn_handle **check_table(lua_State *lua)
{
  return luaL_checkudata(lua, 1, type_name);
}

static int new_table(lua_State *lua)
{
  struct cairn_handle **table = lua_newuserdatauv(lua, sizeof(struct cairn_handle *), 0);

  *table = words_new();
  luaL_setmetatable(lua, type_name);
  return 1;
}

static int add(lua_State *lua)
{
  struct cairn_handle **table = check_table(lua);
  const char *word = luaL_checkstring(lua, 2);

  lua_pushinteger(lua, words_add(*table, word));
  return 1;
}

static int distinct(lua_State *lua)
{
  lua_pushinteger(lua, words_distinct(*check_table(lua)));
  return 1;
}

static int free_table(lua_State *lua)
{
  words_free(*check_table(lua));
  return 0;
}

LUAMOD_API int luaopen_words(lua_State *lua);
LUAMOD_API int luaopen_words(lua_State *lua)
{
  static const luaL_Reg methods[] = {{"add", add}, {"__len", distinct}, {"__gc", free_table}, {NULL, NULL}};

  luaL_newmetatable(lua, type_name);
  luaL_setfuncs(lua, methods, 0);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, -2, "__index");
  lua_newtable(lua);
  lua_pushcfunction(lua, new_table);
  lua_setfield(lua, -2, "new");
  return 1;
}
