import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, patiently, Refused, type Code } from "../src/index.js";

// The address of a running service or edge; without it only the other tests run.
const address = process.env["SERVICE_URL"];

async function refused(code: Code, status: number, call: Promise<unknown>) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof Refused);
    assert.deepEqual([error.code, error.status], [code, status]);
    assert.match(error.correlation ?? "", /^[0-9a-f]{32}$/);
    return true;
  });
}

test("plays a game", { skip: address ? false : "SERVICE_URL is not set" }, async () => {
  const api = connect(address ?? "");

  const { data: campaigns } = await patiently(() => api.POST("/v1/list-campaigns", { body: {} }));
  assert.ok(campaigns.some((c) => c.campaignId === "tiny"));

  const begun = await patiently(() => api.POST("/v1/create-session", { body: { campaignId: "tiny", seed: "a seed" } }));
  const { sessionId } = begun.data;
  let { scene } = begun.data;
  let etag = begun.etag ?? "";
  assert.equal(scene.status, "active");
  assert.match(etag, /^".+"$/);

  const { data: strings } = await patiently(() => api.POST("/v1/get-strings", { body: { sessionId } }));
  for (const action of scene.actions) assert.ok(strings[action.labelKey], action.labelKey);

  const act = (actionId: string, params: Record<string, string | number | boolean>, seen: string) =>
    patiently(() => api.POST("/v1/submit-action", { params: { header: { "If-Match": seen } }, body: { sessionId, actionId, params } }));

  // What the rules refuse is an answer, and changes nothing.
  const tooMuch = await act("fill", { measures: 4 }, etag);
  assert.equal(tooMuch.data.ok, false);
  assert.equal(tooMuch.etag, etag);

  const filled = await act("fill", { measures: 2 }, etag);
  assert.equal(filled.data.ok, true);
  assert.deepEqual(filled.data.changes.filter((c) => c.visible).map((c) => [c.op, c.previous, c.value]), [["increment", 2, 4]]);

  // The same again, as after a lost answer: it is known to have been taken.
  await refused("concurrent_modification", 409, act("fill", { measures: 2 }, etag));
  const now = await patiently(() => api.POST("/v1/get-scene", { body: { sessionId } }));
  assert.equal(now.etag, filled.etag);
  ({ data: scene, etag = "" } = now);

  const { data: preview } = await patiently(() => api.POST("/v1/preview-action", { body: { sessionId, actionId: "leave" } }));
  assert.equal(preview.scene?.status, "abandoned");
  const { data: view } = await patiently(() => api.POST("/v1/get-view", { body: { sessionId } }));
  assert.deepEqual(view, scene.view);

  const { data: save } = await patiently(() => api.POST("/v1/save-game", { body: { sessionId } }));
  const left = await act("leave", {}, etag);
  assert.equal(left.data.scene?.status, "abandoned");
  const { data: loaded } = await patiently(() => api.POST("/v1/load-game", { body: save }));
  assert.notEqual(loaded.sessionId, sessionId);
  assert.deepEqual(loaded.scene, scene);
  const { data: resumed } = await patiently(() => api.POST("/v1/resume-session", { body: { sessionId: loaded.sessionId } }));
  assert.deepEqual(resumed, scene);

  await refused("unknown_session", 404, patiently(() => api.POST("/v1/get-scene", { body: { sessionId: "none" } })));
  await refused("malformed_payload", 400, patiently(() => api.POST("/v1/get-scene", { body: { sessionId, more: 1 } })));
});
