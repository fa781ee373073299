import { type VNode } from 'preact';

/** As `crm.example.com/webhook/orders`, with what may stand before it. */
const ADDRESS = /((?:[\w-]+[.:])+[\w-]+\/\S*)/;

/** A text whose addresses, where they are wider than their place, break between their parts, not within a word. */
export const Breakable = ({ children: text }: { children: string }): VNode => (
  <>{text.split(ADDRESS).flatMap((part, index) => (index % 2 ? broken(part) : [part]))}</>
);

const broken = (address: string): (string | VNode)[] =>
  address.split(/(?<=[/-])(?=[^/])/).flatMap((part, index) => (index ? [<wbr key={index} />, part] : [part]));
