import { createSocket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** The DNS answer for a name: addresses of either family, or an alias. */
export interface Records {
  addresses?: string[];
  alias?: string;
}

/**
 * @param nth how often the name was queried before, with A and AAAA counted separately
 * @returns null for a name that does not exist
 */
export type Zone = (name: string, nth: number) => Records | null;

const A = 1;
const CNAME = 5;
const AAAA = 28;
const NAME_ERROR = 3;

/** A DNS server over UDP whose answers can change each time and must not be cached (TTL 0). */
export async function startNameServer(zone: Zone, port = 53, host = '127.0.0.1') {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question);
    const key = `${name} ${type}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    const records = zone(name, nth);
    const answers = records ? recordsOf(records, type, zone, nth) : [];
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (records ? 0 : NAME_ERROR), 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, question.subarray(12, end), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(port, host, resolve);
  });
  return { asked, close: (): void => void socket.close() };
}

function readQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.from([0]),
  ]);

function recordsOf({ addresses = [], alias }: Records, type: number, zone: Zone, nth: number): Buffer[] {
  // A pointer to the name in the question, at byte 12.
  const owner = Buffer.from([0xc0, 12]);
  if (alias === undefined) return addressRecords(owner, addresses, type);
  const target = nameBytes(alias);
  return [record(owner, CNAME, target), ...addressRecords(target, zone(alias, nth)?.addresses ?? [], type)];
}

const addressRecords = (owner: Buffer, addresses: string[], type: number): Buffer[] =>
  addresses
    .map((address) => ipaddr.parse(address))
    .filter((address) => type === (address.kind() === 'ipv4' ? A : AAAA))
    .map((address) => record(owner, type, Buffer.from(address.toByteArray())));

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}
