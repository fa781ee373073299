/** A message in the sandbox, as the contact sees it. */
export interface PhoneMessage {
  id: string;
  direction: 'to_contact' | 'from_contact';
  type: string;
  /** The words of a template with its gaps filled. */
  shown?: string;
  replies_to?: string;
  statuses: { status: string }[];
  [content: string]: unknown;
}

/** What a contact can do: write, tap a button or choose a row, named by its title or id. */
export type Doing = ({ text: string } | { button: string } | { row: string }) & {
  name?: string;
  /** The id of the message that it answers. */
  message?: string;
};

/** The contact does that; returns the id of its message. Throws with the sandbox's sentence when it cannot. */
export async function contactDoes(sandboxUrl: string, contact: string, doing: Doing): Promise<string> {
  const answer = await fetch(`${sandboxUrl}/sandbox/contacts/${contact}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(doing),
  });
  if (!answer.ok) throw new Error(`The sandbox refused ${JSON.stringify(doing)}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** The contact's conversation with a line, oldest message first. @param line not needed where there is only one */
export async function conversationOf(
  sandboxUrl: string,
  contact: string,
  line?: string,
): Promise<PhoneMessage[]> {
  const ofLine = line ? `?line=${line}` : '';
  const answer = await fetch(`${sandboxUrl}/sandbox/contacts/${contact}/messages${ofLine}`);
  if (!answer.ok) throw new Error(`The sandbox does not show the conversation: ${await answer.text()}`);
  return ((await answer.json()) as { messages: PhoneMessage[] }).messages;
}
