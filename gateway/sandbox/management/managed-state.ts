/** What clients manage at the platform, by line, account and app. In memory only. */
import { randomBytes } from 'node:crypto';
import { type JsonObject } from '../platform/json';

/** A QR code with the text that it fills in. */
export interface QrCode {
  code: string;
  prefilled_message: string;
}

/** What is managed of one line. */
export interface ManagedLine {
  profile: JsonObject;
  /** WhatsApp IDs, in the order in which they were blocked. */
  blocked: string[];
  qrCodes: QrCode[];
  automation: JsonObject;
  commerce: JsonObject;
  /** The PIN of two-step verification; null if none is set. */
  pin: string | null;
  /** The URL that gets the line's messages and statuses instead of the app's callback. */
  callbackUrl?: string;
  /** The requested display name. */
  newDisplayName?: string;
}

/** A file that is being uploaded. */
export interface Upload {
  id: string;
  type: string;
  length: number;
  /** Bytes so far. */
  received: number;
  handle: string;
}

const UPLOADS_MOST = 1_000;

export class ManagedState {
  private readonly lines = new Map<string, ManagedLine>();
  private readonly uploads = new Map<string, Upload>();

  of(phoneNumberId: string): ManagedLine {
    const known = this.lines.get(phoneNumberId);
    if (known) return known;
    const line: ManagedLine = {
      profile: {},
      blocked: [],
      qrCodes: [],
      automation: {},
      commerce: { is_cart_enabled: true, is_catalog_visible: true },
      pin: null,
    };
    this.lines.set(phoneNumberId, line);
    return line;
  }

  begin(type: string, length: number): Upload {
    const upload = {
      id: `upload:${randomBytes(24).toString('base64url')}`,
      type,
      length,
      received: 0,
      handle: `4:${randomBytes(32).toString('base64url')}`,
    };
    this.uploads.set(upload.id, upload);
    for (const id of this.uploads.keys()) if (this.uploads.size > UPLOADS_MOST) this.uploads.delete(id);
    return upload;
  }

  upload(id: string): Upload | undefined {
    return this.uploads.get(id);
  }

  /** The upload with this handle, if it is complete. */
  uploaded(handle: string): Upload | undefined {
    return [...this.uploads.values()].find((one) => one.handle === handle && one.received === one.length);
  }

  forget(): void {
    this.lines.clear();
    this.uploads.clear();
  }
}
