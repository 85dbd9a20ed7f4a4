/** What a turn says, as text and in its log. Nearly all of it comes as bytes that are copied: they are read back once somebody asks for the text. */
import { HelperError } from '../errors.ts';
import { limits } from '../protocol/wire.ts';
import type { TurnLog } from './log.ts';

const dataStart = '\ndata: ';

export class Said {
  #text = '';
  /** Events of the log that are not read yet, one after the other. */
  #from = 0;
  #to = 0;
  #bytes = 0;

  constructor(private readonly log: TurnLog) {}

  get text(): string {
    this.#read();
    return this.#text;
  }
  set text(text: string) {
    this.#text = text;
    this.#from = this.#to;
  }

  /** @throws HelperError `too-large` */
  say(text: string): void {
    this.count(text);
    this.text += text;
    this.log.append('text-delta', { text });
  }

  /** @param json the data of an event @throws HelperError `too-large` */
  copy(json: Uint8Array): void {
    this.#count(json.length);
    const id = this.log.nextId;
    this.log.appendText(json);
    if (id !== this.#to) this.#read();
    if (this.#from === this.#to) this.#from = id;
    this.#to = id + 1;
  }

  /** A short text is counted in UTF-16 units: encoding each would cost more than the exactness is worth. */
  count(text: string): void {
    this.#count(text.length < 64 ? text.length : new TextEncoder().encode(text).length);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > limits.maxTurnBytes) throw new HelperError('too-large');
  }

  #read(): void {
    if (this.#from === this.#to) return;
    for (const event of this.log.toText(this.#from, this.#to).split('\n\n').slice(0, -1)) {
      const data = event.slice(event.indexOf(dataStart) + dataStart.length);
      this.#text += (JSON.parse(data) as { text: string }).text;
    }
    this.#from = this.#to;
  }
}
