import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, patiently, Refused } from "../src/index.js";

/** A way to a service that gives these answers in turn; an error is no answer. */
function answering(...answers: (Response | Error)[]) {
  let asked = 0;
  const api = connect("http://service.invalid", {
    fetch: async () => {
      const answer = answers[asked++];
      assert.ok(answer, "asked too often");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { ask: () => api.POST("/v1/list-campaigns", { body: {} }), asked: () => asked };
}

const unavailable = (status = 503, code = "storage_failure") =>
  new Response(JSON.stringify({ code, correlation: "c" }), { status, headers: { "retry-after": "0" } });
const campaigns = () => new Response("[]", { headers: { etag: '"a-1"' } });

test("asks again while no answer comes", async () => {
  const service = answering(new TypeError("fetch failed"), unavailable(), unavailable(504, "edge_upstream_timeout"), campaigns());
  assert.deepEqual(await patiently(service.ask), { data: [], etag: '"a-1"' });
  assert.equal(service.asked(), 4);
});

test("gives up after its patience, with the last failure", async () => {
  await assert.rejects(patiently(answering(unavailable(503)).ask, 0), { status: 503, code: "storage_failure", correlation: "c" });
  await assert.rejects(patiently(answering(new TypeError("fetch failed")).ask, 0), TypeError);
});

test("waits as long as it is told", async () => {
  const told = new Response("{}", { status: 503, headers: { "retry-after": "3600" } });
  await assert.rejects(patiently(answering(told, campaigns()).ask, 10_000), Refused);
});

test("asks once where the answer is a refusal", async () => {
  for (const [status, code] of [[409, "concurrent_modification"], [404, "unknown_session"], [400, "malformed_payload"], [500, "internal_failure"]] as const) {
    const service = answering(unavailable(status, code));
    await assert.rejects(patiently(service.ask), { name: "Refused", status, code });
    assert.equal(service.asked(), 1);
  }
});

test("takes what is not of the service as a refusal without a code", async () => {
  const strange = answering(new Response("<html>", { status: 502 }));
  await assert.rejects(patiently(strange.ask), { status: 502, code: undefined, correlation: undefined });
});
