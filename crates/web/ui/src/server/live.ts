/** The page's only WebSocket: topics it listens to, and requests. It reconnects by itself after a break. */

import { Refused } from './request.ts';

export type LinkState = { kind: 'open' } | { kind: 'connecting'; attempt: number };

type Listener = (data: unknown) => void;

interface Waiting {
  resolve: (answer: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

/** First pause before a new attempt, doubled each time up to the longest, in milliseconds. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
/** Least and most of a pause that is taken: pages that lost the server together do not all come back in the same moment. */
const SPREAD = [0.8, 1.2] as const;
/** Milliseconds after which every page has tried to reach a server that is back. */
export const EVERY_PAGE_TRIED = SPREAD[1] * LONGEST_PAUSE;

class Live {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private nextId = 1;
  private readonly topics = new Map<string, Set<Listener>>();
  /** The newest state of each topic, for later listeners. */
  private readonly newest = new Map<string, unknown>();
  /** Topics that arrive without a subscription. */
  private readonly requested = new Set<string>();
  private readonly waiting = new Map<number, Waiting>();
  private readonly watchers = new Set<(state: LinkState) => void>();
  private readonly reopened = new Set<() => void>();
  state: LinkState = { kind: 'connecting', attempt: 0 };

  /** Listens to a topic until the returned function is called. */
  listen(topic: string, listener: Listener): () => void {
    const listeners = this.topics.get(topic) ?? new Set();
    this.topics.set(topic, listeners);
    listeners.add(listener);
    if (listeners.size === 1) this.subscribe(topic);
    else if (this.newest.has(topic)) listener(this.newest.get(topic));
    this.open();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.topics.delete(topic);
      this.newest.delete(topic);
      if (this.isOpen()) this.send({ t: 'unsub', topic }).catch(() => undefined);
    };
  }

  /** Listens to a topic that a request opened, without subscribing to it. */
  hear(topic: string, listener: Listener): () => void {
    const listeners = this.topics.get(topic) ?? new Set();
    this.topics.set(topic, listeners);
    this.requested.add(topic);
    listeners.add(listener);
    this.open();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.topics.delete(topic);
    };
  }

  /** Calls back whenever the connection changes. */
  watch(watcher: (state: LinkState) => void): () => void {
    this.watchers.add(watcher);
    watcher(this.state);
    this.open();
    return () => this.watchers.delete(watcher);
  }

  /** Calls back after each reconnection, when whatever a request had set up is gone. */
  onReopen(callback: () => void): () => void {
    this.reopened.add(callback);
    return () => this.reopened.delete(callback);
  }

  /** Sends a request and waits for its answer. */
  send(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refused(0, 'unreachable', 'The server is not answering.'));
    }
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, ...request }));
    });
  }

  isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  private open(): void {
    if (this.socket) return;
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/v1/live`, 'tabiya.v1');
    this.socket = socket;
    socket.addEventListener('open', () => {
      const again = this.attempt > 0;
      this.attempt = 0;
      this.become({ kind: 'open' });
      for (const topic of this.topics.keys()) this.subscribe(topic);
      if (again) for (const callback of this.reopened) callback();
    });
    socket.addEventListener('message', (event) => this.receive(String(event.data)));
    socket.addEventListener('close', () => {
      this.socket = null;
      for (const { reject } of this.waiting.values()) reject(new Refused(0, 'unreachable', 'The connection broke.'));
      this.waiting.clear();
      this.attempt += 1;
      this.become({ kind: 'connecting', attempt: this.attempt });
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.attempt - 1));
      setTimeout(() => this.open(), pause * (SPREAD[0] + (SPREAD[1] - SPREAD[0]) * Math.random()));
    });
  }

  private become(state: LinkState): void {
    this.state = state;
    for (const watcher of this.watchers) watcher(state);
  }

  private subscribe(topic: string): void {
    if (!this.isOpen() || this.requested.has(topic)) return;
    this.send({ t: 'sub', topic }).catch((error: unknown) => {
      for (const listener of this.topics.get(topic) ?? []) listener({ refused: error });
    });
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as Record<string, unknown>;
    if (message['t'] === 'topic') {
      const topic = String(message['topic']);
      const listeners = this.topics.get(topic);
      if (listeners && !this.requested.has(topic)) this.newest.set(topic, message['data']);
      for (const listener of listeners ?? []) listener(message['data']);
      return;
    }
    const waiting = this.waiting.get(Number(message['id']));
    if (!waiting) return;
    this.waiting.delete(Number(message['id']));
    if (message['t'] === 'ok') waiting.resolve(message);
    else waiting.reject(new Refused(0, String(message['code']), String(message['message'])));
  }
}

export const live = new Live();
