import { type Received } from '../../support/http-peer';

/** A line, as a client of the upstream platform is told of it. */
export interface Address {
  /** Of the gateway, in place of upstream's. */
  url: string;
  phoneNumberId: string;
  token: string;
  to: string;
}

/** What a client's own parser makes of a forwarded event. */
export type Read = { from: string; text: string } | { id: string; status: string };

/** A library from npm, made for the upstream platform: what it can do, in one form for all of them. */
export interface PublishedClient {
  name: string;
  connect(address: Address): {
    /** Every message that it can build, by its name; each gives the message's id, as the client reads the answer. */
    messages: Record<string, () => Promise<string | undefined>>;
    /** Whether the client takes the answer for a success. */
    markAsRead(messageId: string): Promise<boolean>;
    /** Sends a text that is refused. @returns what the client tells of it in its own form */
    refused(to: string): Promise<{ code: number; details?: string }>;
  };
  /** Verifies, where the client can, and parses. @throws Error for a signature that is wrong */
  read(received: Received, secret: string): Promise<Read>;
  verifies: boolean;
  /** Answers the handshake. */
  challenge(query: Record<string, string>, verifyToken: string): Promise<string>;
}

export const LINK = 'https://www.example.com/file';

/** What was refused by throwing. */
export async function thrownBy(attempt: () => Promise<unknown>): Promise<unknown> {
  try {
    await attempt();
  } catch (error) {
    return error;
  }
  throw new Error('The client took it for a success');
}
