/** One turn's log: each event encoded once into one slab, which every reader follows at its own pace. */
import { HelperError } from '../errors.ts';
import { toSseText } from '../protocol/sse.ts';
import { endKinds, type TurnEventData, type TurnEventKind } from '../protocol/wire.ts';

/** Where a reader's bytes go. */
export type LogSink = {
  /** Whole events. The bytes never change. False: no more until `resume` is called. */
  write(bytes: Uint8Array): boolean;
  /** Nothing follows here: the turn has ended or paused, or another helper goes on with it. */
  end(): void;
  /** The reader is cut off; it may come back with its last id. */
  cut(): void;
};

export type Following = {
  resume(): void;
  stop(): void;
};

class Reader implements Following {
  blockedSince: number | undefined;

  constructor(
    readonly log: TurnLog,
    readonly sink: LogSink,
    public at: number,
  ) {}

  resume(): void {
    this.blockedSince = undefined;
    this.log.feed(this);
  }
  stop(): void {
    this.log.leave(this);
  }
}

/** All that one log may take, whatever its deltas' size. */
const maxSlabBytes = 16 * 1024 * 1024;
const firstSlabBytes = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const idStart = encoder.encode('id: ');
const textStart = encoder.encode('\nevent: text-delta\ndata: ');
/** Room for all of an event but its data. */
const frameBytes = 64;
const zero = 0x30;
const lineFeed = 0x0a;

export class TurnLog {
  #slab = new Uint8Array(firstSlabBytes);
  #length = 0;
  /** Where each event begins. */
  #starts: number[] = [];
  #readers = new Set<Reader>();
  /** A turn's end closes its readers; a decision opens the log again. */
  #atRest = false;
  #now: () => number;
  /** Told of what is new, which readers see once it is shown. */
  #onNew: (() => void) | undefined;
  /** The event before which all is shown, where something is held back. */
  #shownTo = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Id of the next event. */
  get nextId(): number {
    return this.#starts.length;
  }
  /** Bytes held in memory. */
  get heldBytes(): number {
    return this.#slab.length + this.#starts.length * 8;
  }
  get atRest(): boolean {
    return this.#atRest;
  }

  /** Appends an event; readers get it at the next `flush`. @throws HelperError `too-large` */
  append<K extends TurnEventKind>(kind: K, data: TurnEventData[K]): void {
    this.appendTold(toSseText(this.#starts.length, kind, data), endKinds.has(kind));
  }

  /**
   * Appends a `text-delta` whose data is JSON already, by copying it: what nearly every event is, so it takes no
   * string on its way. @throws HelperError `too-large`
   */
  appendText(json: Uint8Array): void {
    this.#makeRoom(json.length + frameBytes, false);
    const slab = this.#slab;
    let at = put(slab, this.#length, idStart);
    at = putNumber(slab, at, this.#starts.length);
    at = put(slab, at, textStart);
    at = put(slab, at, json);
    slab[at] = lineFeed;
    slab[at + 1] = lineFeed;
    this.#starts.push(this.#length);
    this.#length = at + 2;
  }

  /** Appends an event as it was told elsewhere, whole. */
  appendTold(event: string, isEnd: boolean): void {
    // Most units take one byte, and none more than three.
    this.#makeRoom(event.length, isEnd);
    const first = encoder.encodeInto(event, this.#slab.subarray(this.#length));
    let { written } = first;
    if (first.read < event.length) {
      this.#makeRoom(event.length * 3, isEnd);
      ({ written } = encoder.encodeInto(event, this.#slab.subarray(this.#length)));
    }
    this.#starts.push(this.#length);
    this.#length += written;
    this.#atRest = isEnd;
  }

  /** From now on readers see no event before `show` is called for it. */
  holdBack(onNew: () => void): void {
    this.#onNew = onNew;
    this.#shownTo = this.nextId;
  }

  /** @param to the event before which all may be seen; undefined: all, from now on */
  show(to: number | undefined): void {
    if (to === undefined) this.#onNew = undefined;
    else this.#shownTo = Math.max(this.#shownTo, to);
    for (const reader of this.#readers) this.#feed(reader);
  }

  /** Events `from` to before `to`, as they are sent. */
  toText(from: number, to: number): string {
    return decoder.decode(
      this.#slab.subarray(this.#starts[from] ?? this.#length, this.#starts[to] ?? this.#length),
    );
  }

  /** Bytes of event `from` and all after it. */
  bytesSince(from: number): number {
    return this.#length - (this.#starts[from] ?? this.#length);
  }

  /** A paused turn goes on under the same ids. */
  reopen(): void {
    this.#atRest = false;
  }

  /** Hands everything new to every reader that can take it: one write a reader, however many events. */
  flush(): void {
    if (this.#onNew) this.#onNew();
    else for (const reader of this.#readers) this.#feed(reader);
  }

  /** Sends events from id `from` on to `sink`, now and as they come. */
  follow(from: number, sink: LogSink): Following {
    const at = this.#starts[Math.max(0, from)] ?? this.#length;
    const reader = new Reader(this, sink, at);
    this.#readers.add(reader);
    this.#feed(reader);
    return reader;
  }

  /** For its readers: what is new to this one. */
  feed(reader: Reader): void {
    if (this.#readers.has(reader)) this.#feed(reader);
  }

  /** For its readers: this one takes no more. */
  leave(reader: Reader): void {
    this.#readers.delete(reader);
  }

  /** Writes a comment to each reader that waits. */
  beat(heartbeat: Uint8Array): void {
    for (const reader of this.#readers)
      if (reader.blockedSince === undefined && !reader.sink.write(heartbeat))
        reader.blockedSince = this.#now();
  }

  /** Cuts the readers that have taken nothing for `maxBlockedMs`, be the turn over or not. */
  cutStuck(maxBlockedMs: number): void {
    for (const reader of this.#readers) {
      if (reader.blockedSince === undefined || this.#now() - reader.blockedSince < maxBlockedMs) continue;
      this.#readers.delete(reader);
      reader.sink.cut();
    }
  }

  /** The helper goes away: readers are let go without an end event, so that they come back. */
  cutAll(): void {
    for (const { sink, blockedSince } of this.#readers) {
      // What it was sent arrives, unless it takes nothing.
      if (blockedSince === undefined) sink.end();
      else sink.cut();
    }
    this.#readers.clear();
  }

  /** Gives back what doubling took too much. */
  trim(): void {
    if (this.#slab.length > this.#length) this.#slab = this.#slab.slice(0, this.#length);
  }

  #feed(reader: Reader): void {
    if (reader.blockedSince !== undefined) return;
    const end = this.#onNew ? (this.#starts[this.#shownTo] ?? this.#length) : this.#length;
    if (reader.at < end) {
      const bytes = this.#slab.subarray(reader.at, end);
      reader.at = end;
      if (!reader.sink.write(bytes)) reader.blockedSince = this.#now();
    }
    if (this.#atRest && reader.at >= this.#length && reader.blockedSince === undefined) {
      this.#readers.delete(reader);
      reader.sink.end();
    }
  }

  /** The end event always fits: a turn must be able to say how it ended. */
  #makeRoom(bytes: number, isEnd: boolean): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#slab.length) return;
    if (wanted > maxSlabBytes && !isEnd) throw new HelperError('too-large');
    let size = this.#slab.length;
    while (size < wanted) size *= 2;
    // A new slab, since slices of the old one may still wait in a socket.
    const grown = new Uint8Array(size);
    grown.set(this.#slab.subarray(0, this.#length));
    this.#slab = grown;
  }
}

/** A loop, since for so few bytes a copy by the runtime costs more than it copies. @returns where it ends */
function put(slab: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index += 1) slab[at + index] = bytes[index] as number;
  return at + bytes.length;
}

function putNumber(slab: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let least = 10; least <= value; least *= 10) end += 1;
  for (let place = end - 1, rest = value; place >= at; place -= 1, rest = Math.floor(rest / 10))
    slab[place] = zero + (rest % 10);
  return end;
}
