// Plays the tiny campaign to its end with every tool, by the client of the
// protocol's TypeScript SDK:
//
//   node play.mjs http URL
//   node play.mjs stdio COMMAND [ARGUMENT...]
//
// It prints the two sessions that it played, as JSON, and fails otherwise.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [how, where, ...args] = process.argv.slice(2)
const transport = how === 'http'
  ? new StreamableHTTPClientTransport(new URL(where))
  : new StdioClientTransport({ command: where, args })
const client = new Client({ name: 'play.mjs', version: '1' })
client.onerror = (error) => { throw error }
await client.connect(transport)

// The client holds what follows to the output schemas that it is told here.
const { tools } = await client.listTools()
assert.equal(tools.length, 10)
const used = new Set()

async function call(name, parameters = {}) {
  used.add(name)
  const result = await client.callTool({ name, arguments: parameters })
  const value = JSON.parse(result.content[0].text)
  assert.deepEqual(result.structuredContent, Array.isArray(value) ? { result: value } : value)
  return { value, isError: result.isError === true }
}

async function ok(name, parameters) {
  const { value, isError } = await call(name, parameters)
  assert.equal(isError, false, `${name}: ${JSON.stringify(value)}`)
  return value
}

async function finish(sessionId) {
  for (const actionId of ['climb', 'strike']) {
    assert.equal((await ok('choose', { sessionId, actionId })).ok, true)
  }
  assert.equal((await ok('get_scene', { sessionId })).status, 'ended')
}

assert.ok((await ok('list_campaigns')).some((c) => c.campaignId === 'tiny'))
const { sessionId, scene } = await ok('start_game', { campaignId: 'tiny', seed: 'replay' })
assert.equal(scene.status, 'active')
assert.equal((await ok('get_state', { sessionId })).kindView.variables.oil, 2)
assert.equal((await ok('get_strings', { sessionId }))['stairs.fill'], 'Fill the can')
const fill = { sessionId, actionId: 'fill', params: { measures: 2 } }
assert.deepEqual(await ok('preview_action', fill), await ok('choose', fill))
const name = 'Ömer <3 & 𝄞\u2028'
await ok('choose', { sessionId, actionId: 'sign', params: { name, oath: true } })
assert.equal((await ok('get_state', { sessionId })).kindView.variables.keeper, name)
const { saveId } = await ok('save_game', { sessionId })
await finish(sessionId)
assert.equal((await ok('continue_game', { sessionId })).status, 'ended')
const loaded = await ok('load_game', { saveId })
await finish(loaded.sessionId)
assert.equal(used.size, 10)

// Errors: of a tool, with code and correlation; of the protocol.
for (const [tool, parameters, code] of [
  ['get_scene', { sessionId: 'none' }, 'unknown_session'],
  ['list_campaigns', { extra: 1 }, 'malformed_payload'],
]) {
  const { value, isError } = await call(tool, parameters)
  assert.equal(isError, true)
  assert.equal(value.code, code)
  assert.match(value.correlation, /^[0-9a-f]{32}$/)
}
await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), (error) => {
  assert.equal(error.code, -32602)
  assert.equal(error.data.code, 'unknown_operation')
  return true
})
await client.close()
console.log(JSON.stringify([sessionId, loaded.sessionId]))
