/** What a peer sent is not an HTTP/1.1 response, or not a whole one. */
export class AnswerBroken extends Error {
  override name = 'AnswerBroken';
}

/** Bytes of a head, of a line with the size of a chunk, and of the fields after the last chunk. */
const LONGEST_HEAD = 16 * 1024;

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** The name and the value of a header (RFC 9110, 5.1 and 5.5). */
export const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
export const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const SIZE_LINE = /^([\da-f]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

export type Headers = Partial<Record<string, string>>;

/** Without a prototype, because peers choose the names. */
const noHeaders = (): Headers => Object.create(null) as Headers;

/** What comes next. `rest`: a body that the end of the connection ends. */
type Part = 'head' | 'sized' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'rest' | 'nothing';

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Reads one response of HTTP/1.1 (RFC 9112) from the pieces in which it arrives. A response that two programs could
 * read differently is refused: line ends without CR, folded lines, a length beside chunks, two lengths.
 */
export class AnswerReader {
  /** 0 until the whole head is read and valid. A status below 200 only announces the response. */
  status = 0;
  /** By name in lower case. Repeated ones are joined with commas. */
  headers: Headers = noHeaders();
  readonly chunks: Buffer[] = [];
  /** Bytes of the body as it arrived, with the sizes of its chunks: memory holds as much. */
  size = 0;
  /** Whether the connection can be used again after the response. */
  keepsAlive = false;

  #next: Part = 'head';
  #data = NOTHING;
  /** The data as Latin-1 text, which is searched much faster; empty until it is needed. */
  #text = '';
  /** How much of the data is read. */
  #at = 0;
  /** The beginning of a part whose end has not arrived. */
  #begun = NOTHING;
  /** Bytes that are missing of the body or chunk. */
  #left = 0;
  #trailer = 0;

  get isOver(): boolean {
    return this.#next === 'nothing';
  }

  /** @throws AnswerBroken */
  take(piece: Buffer): void {
    this.#data = this.#begun.length ? Buffer.concat([this.#begun, piece]) : piece;
    this.#begun = NOTHING;
    this.#text = '';
    this.#at = 0;
    while (this.#at < this.#data.length && this.#next !== 'nothing') this.#read();
    // Nothing was asked for yet that the rest could answer.
    if (this.#at < this.#data.length) this.keepsAlive = false;
  }

  /** Called when the peer has ended the connection. @throws AnswerBroken if the response is not whole */
  end(): void {
    if (this.#next === 'rest') this.#next = 'nothing';
    if (this.#next !== 'nothing') throw new AnswerBroken('The connection ended before the whole answer');
  }

  #read(): void {
    if (this.#next === 'sized') return this.#readBody('nothing');
    if (this.#next === 'chunk') return this.#readBody('chunkEnd');
    if (this.#next === 'rest') {
      this.#left = this.#data.length;
      return this.#readBody('rest');
    }
    const text = this.#until(this.#next === 'head' ? HEAD_END : LINE_END);
    if (text === null) return;
    if (this.#next === 'head') return this.#readHead(text);
    if (this.#next === 'chunkSize') return this.#readSize(text);
    if (this.#next === 'chunkEnd') {
      if (text !== '') throw new AnswerBroken('A chunk of the answer is longer than its size');
      this.#next = 'chunkSize';
      return;
    }
    this.#trailer += text.length;
    if (this.#trailer > LONGEST_HEAD) throw tooLong();
    if (text === '') this.#next = 'nothing';
  }

  /** @returns the text before `end`; null if it has not arrived */
  #until(end: string): string | null {
    this.#text ||= this.#data.toString('latin1');
    const from = this.#at;
    const to = this.#text.indexOf(end, from);
    if ((to < 0 ? this.#data.length : to) - from > LONGEST_HEAD) throw tooLong();
    if (to < 0) {
      this.#begun = this.#data.subarray(from);
      this.#at = this.#data.length;
      return null;
    }
    this.#at = to + end.length;
    if (this.#next !== 'head') this.size += this.#at - from;
    return this.#text.slice(from, to);
  }

  #readHead(head: string): void {
    const [statusLine = '', ...lines] = head.split(LINE_END);
    const [, minor, code] = STATUS_LINE.exec(statusLine) ?? [];
    if (code === undefined) throw new AnswerBroken('What came is not an HTTP answer');
    const status = Number(code);
    this.headers = noHeaders();
    lines.forEach((line) => this.#readField(line));
    if (status === 101) throw new AnswerBroken('The answer changes the protocol');
    if (status >= 200) this.#readFraming(status, minor === '1');
    this.status = status;
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1);
    if (colon < 0 || !FIELD_NAME.test(name) || !FIELD_VALUE.test(value))
      throw new AnswerBroken('A header of the answer is invalid');
    const known = this.headers[name];
    this.headers[name] = known === undefined ? value.trim() : `${known}, ${value.trim()}`;
  }

  /** Where the body ends (RFC 9112, 6.3). */
  #readFraming(status: number, isPersistent: boolean): void {
    const { connection = '', 'transfer-encoding': coding, 'content-length': length } = this.headers;
    this.keepsAlive = isPersistent ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
    if (status === 204 || status === 304) {
      this.#next = 'nothing';
      // A peer that sends the body nevertheless would answer the next request with it.
      this.keepsAlive &&= coding === undefined && (length ?? '0') === '0';
    } else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked' || length !== undefined)
        throw new AnswerBroken('The length of the answer is unclear');
      this.#next = 'chunkSize';
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) throw new AnswerBroken('The length of the answer is unclear');
      this.#left = Number(length);
      this.#next = this.#left ? 'sized' : 'nothing';
    } else {
      this.keepsAlive = false;
      this.#next = 'rest';
    }
  }

  #readSize(line: string): void {
    const [, size] = SIZE_LINE.exec(line) ?? [];
    if (size === undefined) throw new AnswerBroken('The size of a chunk of the answer is invalid');
    this.#left = Number.parseInt(size, 16);
    this.#next = this.#left ? 'chunk' : 'trailer';
  }

  /** @param then the next part after the body or chunk */
  #readBody(then: Part): void {
    const taken = Math.min(this.#left, this.#data.length - this.#at);
    const isAll = taken === this.#data.length;
    this.chunks.push(isAll ? this.#data : this.#data.subarray(this.#at, this.#at + taken));
    this.#at += taken;
    this.size += taken;
    this.#left -= taken;
    if (this.#left === 0) this.#next = then;
  }
}

const tooLong = (): AnswerBroken => new AnswerBroken('The head of the answer is longer than 16 KB');
