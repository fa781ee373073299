import { type VNode } from 'preact';

/** An address such as `crm.example.com/webhook/orders`, with optional text before it. */
const ADDRESS = /((?:[\w-]+[.:])+[\w-]+\/\S*)/;

/** A text whose long addresses break between their parts instead of within a word. */
export const Breakable = ({ children: text }: { children: string }): VNode => (
  <>{text.split(ADDRESS).flatMap((part, index) => (index % 2 ? broken(part) : [part]))}</>
);

const broken = (address: string): (string | VNode)[] =>
  address.split(/(?<=[/-])(?=[^/])/).flatMap((part, index) => (index ? [<wbr key={index} />, part] : [part]));
