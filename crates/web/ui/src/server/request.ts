/** Requests over HTTP. A refusal becomes a `Refused`, whose message is a sentence for people. */

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const BASE = '/api/v1';

async function request(method: string, path: string, body?: unknown): Promise<Response> {
  const options: RequestInit = { method };
  if (body instanceof Blob) {
    options.headers = { 'content-type': 'application/octet-stream' };
    options.body = body;
  } else if (body !== undefined) {
    options.headers = { 'content-type': 'application/json' };
    options.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(BASE + path, options);
  } catch {
    throw new Refused(0, 'unreachable', 'The server is not answering. Start `tabiya play` again.');
  }
  if (response.ok) return response;
  const refusal: unknown = await response.json().catch(() => null);
  if (refusal && typeof refusal === 'object' && 'code' in refusal && 'message' in refusal) {
    throw new Refused(response.status, String(refusal.code), String(refusal.message));
  }
  throw new Refused(response.status, 'unknown', `The server answered ${response.status}.`);
}

export async function get<T>(path: string): Promise<T> {
  return (await (await request('GET', path)).json()) as T;
}

export async function getText(path: string): Promise<string> {
  return (await request('GET', path)).text();
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return (await (await request('POST', path, body)).json()) as T;
}

/** Sends a file's bytes as they are. */
export async function sendFile<T>(path: string, file: Blob): Promise<T> {
  return (await (await request('POST', path, file)).json()) as T;
}

export async function remove(path: string): Promise<void> {
  await request('DELETE', path);
}

/** The error, or the refusal of a topic, as a sentence. */
export function explain(error: unknown): string {
  return error && typeof error === 'object' && 'message' in error ? String(error.message) : String(error);
}
