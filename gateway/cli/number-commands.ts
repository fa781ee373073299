import { type Command } from './command';

/** The commands about the number of a line at the platform. */
export const NUMBER_COMMANDS: Omit<Command, 'name'>[] = [
  {
    usage: 'chat-start show TID [--json]',
    does: 'Shows what contacts see before they write: the questions to tap, the commands, and whether a first visit is announced.',
    run: async (...given) => (await import('./lines/number.js')).chatStartShow(...given),
  },
  {
    usage: 'chat-start edit TID [--prompt TEXT]… [--command "NAME: TEXT"]… [--welcome true|false] [--json]',
    does: 'Changes it. The given questions, or commands, replace all that there were.',
    run: async (...given) => (await import('./lines/number.js')).chatStartEdit(...given),
  },
  {
    usage: 'shop show TID [--json]',
    does: 'Shows whether contacts see the catalogue and a cart.',
    run: async (...given) => (await import('./lines/number.js')).shopShow(...given),
  },
  {
    usage: 'shop edit TID [--catalog true|false] [--cart true|false] [--json]',
    does: 'Shows or hides the catalogue and the cart.',
    run: async (...given) => (await import('./lines/number.js')).shopEdit(...given),
  },
  {
    usage: 'qr list TID [--json]',
    does: 'Shows the QR codes of a line: code, link and the text that it fills in.',
    run: async (...given) => (await import('./lines/number.js')).qrList(...given),
  },
  {
    usage: 'qr create TID --text TEXT [--json]',
    does: 'Creates a QR code that opens a chat with the line and fills in a text.',
    run: async (...given) => (await import('./lines/number.js')).qrCreate(...given),
  },
  {
    usage: 'qr edit TID CODE --text TEXT [--json]',
    does: 'Changes the text of a QR code. The code and its link stay.',
    run: async (...given) => (await import('./lines/number.js')).qrEdit(...given),
  },
  {
    usage: 'qr delete TID CODE [--yes] [--json]',
    does: 'Deletes a QR code. Its link then opens nothing.',
    run: async (...given) => (await import('./lines/number.js')).qrDelete(...given),
  },
  {
    usage: 'block list TID [--json]',
    does: 'Shows the contacts who cannot write to a line.',
    run: async (...given) => (await import('./lines/number.js')).blockList(...given),
  },
  {
    usage: 'block add TID NUMBER [--json]',
    does: 'Blocks a contact who wrote to the line in the last 24 hours.',
    run: async (...given) => (await import('./lines/number.js')).blockAdd(...given),
  },
  {
    usage: 'block remove TID NUMBER [--json]',
    does: 'Lets a contact write to the line again.',
    run: async (...given) => (await import('./lines/number.js')).blockRemove(...given),
  },
  {
    usage: 'number register TID [--pin-file FILE] [--json]',
    does: 'Registers the number of a line at the platform, with the PIN of two-step verification. The PIN is read from a file, from standard input with -, or asked for. The gateway neither stores nor logs it.',
    run: async (...given) => (await import('./lines/number.js')).numberRegister(...given),
  },
  {
    usage: 'number deregister TID [--yes] [--json]',
    does: 'Disconnects the number of a line from the platform, until it is registered again.',
    run: async (...given) => (await import('./lines/number.js')).numberDeregister(...given),
  },
  {
    usage: 'number request-code TID [--method SMS|VOICE] [--language en_US] [--json]',
    does: 'Lets the platform send a verification code to the number.',
    run: async (...given) => (await import('./lines/number.js')).numberRequestCode(...given),
  },
  {
    usage: 'number verify-code TID [--code-file FILE] [--json]',
    does: 'Verifies the number with the code, which is read from a file or asked for.',
    run: async (...given) => (await import('./lines/number.js')).numberVerifyCode(...given),
  },
  {
    usage: 'number set-pin TID [--pin-file FILE] [--json]',
    does: 'Sets the PIN of two-step verification. The PIN is read from a file, from standard input with -, or asked for. The gateway neither stores nor logs it.',
    run: async (...given) => (await import('./lines/number.js')).numberSetPin(...given),
  },
];
