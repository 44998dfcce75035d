/**
 * Client of Holdfast's play sessions. The types and routes are generated from
 * openapi.yaml; `patiently` adds what a caller does when no answer comes.
 */
import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./contract.gen.js";

export type { components, paths } from "./contract.gen.js";

type Schemas = components["schemas"];
export type ActionResult = Schemas["ActionResult"];
export type CampaignSummary = Schemas["CampaignSummary"];
export type Scene = Schemas["Scene"];
export type StartedSession = Schemas["StartedSession"];
export type View = Schemas["View"];

/** The codes of the service, and those of an edge in front of it. */
export type Code = Schemas["ErrorCode"] | "edge_upstream_unreachable" | "edge_upstream_timeout";

export type Holdfast = Client<paths>;

/** A client of the service, or the edge, at an address such as `http://127.0.0.1:8080`. */
export function connect(baseUrl: string, options: Omit<ClientOptions, "baseUrl"> = {}): Holdfast {
  return createClient<paths>({ ...options, baseUrl });
}

/** An answer with an error code. `correlation` finds the request in the service's logs. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    /** Undefined where the answer is not of the service, but of something in between. */
    readonly code: Code | undefined,
    readonly correlation: string | undefined,
  ) {
    super(`refused: ${code ?? `status ${status}`} (correlation ${correlation ?? "unknown"})`);
    this.name = "Refused";
  }
}

/** What the calls of the client return. */
type Answer<T> = { data?: T; error?: unknown; response: Response };

const firstPause = 250;
const longestPause = 2000;

/**
 * Makes a call, again and again while no answer comes, or 503 or 504, for as
 * long as `patience` in milliseconds. Returns what was answered with its ETag;
 * throws `Refused` for any other error.
 *
 * Only for calls that may be made twice: reads, create-session, save-game and
 * load-game (of two, use the one that was answered), and submit-action with
 * `If-Match`. An unanswered action may have been taken: sent again without
 * `If-Match` it would be a second action; with it, the service answers 409
 * `concurrent_modification`, and get-scene shows where the game stands.
 */
export async function patiently<T>(
  ask: () => Promise<Answer<T>>,
  patience = 60_000,
): Promise<{ data: T; etag: string | undefined }> {
  const end = Date.now() + patience;
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    let failure: unknown;
    let wait = pause;
    try {
      const { data, error, response } = await ask();
      if (response.ok) {
        return { data: data as T, etag: response.headers.get("etag") ?? undefined };
      }
      failure = refusal(response.status, error);
      wait = Math.max(wait, 1000 * Number(response.headers.get("retry-after") ?? 0) || 0);
    } catch (unanswered) {
      failure = unanswered;
    }
    const again = !(failure instanceof Refused) || failure.status === 503 || failure.status === 504;
    if (!again || Date.now() + wait > end) {
      throw failure;
    }
    await new Promise((resume) => setTimeout(resume, wait));
  }
}

function refusal(status: number, error: unknown): Refused {
  const { code, correlation } = (typeof error === "object" && error !== null ? error : {}) as Partial<Schemas["Error"]>;
  return new Refused(status, code, correlation);
}
