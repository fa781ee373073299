import { type Received } from '../../support/http-peer';

/** A line, as a client of the upstream platform is told of it. */
export interface Address {
  /** Of the gateway, in place of upstream's. */
  url: string;
  phoneNumberId: string;
  /** The business account of the line. */
  accountId: string;
  token: string;
  to: string;
}

/** What a client's own parser makes of a forwarded event. */
export type Read = { from: string; text: string } | { id: string; status: string };

/** A library from npm for the platform that manages templates, numbers or files. */
export interface ManagingClient {
  name: string;
  /** Every management call that the gateway forwards, in the order to run them; each returns what the client returns. */
  manage(address: Address): Record<string, () => Promise<unknown>>;
}

/** A library from npm, made for the upstream platform: what it can do, in one form for all of them. */
export interface PublishedClient extends ManagingClient {
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

/** The registration PIN that all clients set. */
export const PIN = '482913';

export const PROFILE = {
  about: 'Open 9–18',
  address: 'Paulista 1578',
  email: 'shop@example.com',
  websites: ['https://example.com/'],
};

export const BODY = {
  type: 'BODY' as const,
  text: 'Hello {{1}}, your order is ready.',
  example: { body_text: [['Ana']] },
};

export const FILE = new File(['%PDF-1.4'], 'invoice.pdf', { type: 'application/pdf' });

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
