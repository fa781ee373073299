import { objects, type Json } from '../../../cloud-api/json/json-value';
import { kindOf } from '../../../templates/rules/report';
import { type DraftInput } from '../../../templates/drafts/draft';

/** The part that a button changes: `l0-c1-b2` is the third button of the second card of the first language. */
interface Place {
  language: number;
  card: number | null;
  /** The index of the button, and of its app. */
  button: number;
  app: number;
}

type Change = (draft: DraftInput, place: Place, chosen: string) => void;

/**
 * Applies what a button of the form adds, removes or moves. An unknown change, or one of a missing part, does nothing.
 * @param pressed `add-button l0-c1`
 * @param chosen the kind of the new button, or the new language
 */
export function withChange(draft: DraftInput, pressed: string, chosen: string): DraftInput {
  const [name = '', at = ''] = pressed.split(' ');
  const change = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
  if (!change) return draft;
  const copy = structuredClone(draft);
  change(copy, placeIn(at), chosen);
  return copy;
}

function placeIn(at: string): Place {
  const index = (letter: string) => new RegExp(`(?:^|-)${letter}(\\d{1,3})`).exec(at)?.[1];
  const of = (letter: string) => Number(index(letter) ?? -1);
  const card = index('c');
  return {
    language: of('l'),
    card: card === undefined ? null : Number(card),
    button: of('b'),
    app: of('a'),
  };
}

const CHANGES: Record<string, Change> = {
  'add-language': ({ content: { languages } }, _, chosen) => {
    if (chosen === '' || languages.some(({ language }) => language === chosen)) return;
    languages.push({ ...structuredClone(languages[0] ?? { components: [] }), language: chosen });
  },
  'remove-language': ({ content }, { language }) => void content.languages.splice(language, 1),

  'add-button': (draft, place, chosen) => {
    const button: Json = { type: chosen, ...(chosen === 'OTP' && { otp_type: 'COPY_CODE' }) };
    const buttons = buttonsAt(draft, place);
    if (buttons) buttons.push(button);
    else partsAt(draft, place)?.push({ type: 'BUTTONS', buttons: [button] });
  },
  'remove-button': (draft, place) => void buttonsAt(draft, place)?.splice(place.button, 1),
  'up-button': (draft, place) => swap(buttonsAt(draft, place), place.button - 1),
  'down-button': (draft, place) => swap(buttonsAt(draft, place), place.button),

  'add-app': (draft, place) => {
    const button = buttonsAt(draft, place)?.[place.button];
    // The first app is shown also if there is none.
    const apps = objects(button?.supported_apps);
    if (button) button.supported_apps = [...(apps.length > 0 ? apps : [{}]), {}];
  },
  'remove-app': (draft, place) => {
    const button = buttonsAt(draft, place)?.[place.button];
    if (button)
      button.supported_apps = objects(button.supported_apps).filter((_, index) => index !== place.app);
  },

  'add-offer': (draft, place) => {
    const parts = partsAt(draft, place);
    if (parts && !partOf(parts, 'LIMITED_TIME_OFFER'))
      parts.push({ type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: false } });
  },
  'remove-offer': (draft, place) => removePart(draft, place, 'LIMITED_TIME_OFFER'),

  'add-carousel': (draft, place) => {
    const parts = partsAt(draft, place);
    if (!parts || partOf(parts, 'CAROUSEL')) return;
    const card = { components: [{ type: 'HEADER', format: 'IMAGE' }] };
    parts.push({ type: 'CAROUSEL', cards: [card, structuredClone(card)] });
  },
  // All cards of a carousel are made alike, so that the new one has the parts of the last.
  'add-card': (draft, place) => {
    const cards = cardsAt(draft, place);
    const last = cards?.at(-1);
    if (last) cards?.push(structuredClone(last));
  },
  'remove-card': (draft, place) => {
    if (place.card !== null) cardsAt(draft, place)?.splice(place.card, 1);
  },
};

/** The components at a place: those of a language, or of a card of its carousel. */
function partsAt(draft: DraftInput, place: Place): Json[] | undefined {
  if (place.card === null) return draft.content.languages[place.language]?.components;
  return cardsAt(draft, place)?.[place.card]?.components as Json[] | undefined;
}

const partOf = (parts: Json[] | undefined, type: string): Json | undefined =>
  parts?.find((part) => kindOf(part.type) === type);

const buttonsAt = (draft: DraftInput, place: Place): Json[] | undefined =>
  partOf(partsAt(draft, place), 'BUTTONS')?.buttons as Json[] | undefined;

const cardsAt = ({ content }: DraftInput, { language }: Place): Json[] | undefined =>
  partOf(content.languages[language]?.components, 'CAROUSEL')?.cards as Json[] | undefined;

function removePart(draft: DraftInput, place: Place, type: string): void {
  const parts = partsAt(draft, place);
  const index = parts?.findIndex((part) => kindOf(part.type) === type) ?? -1;
  if (index >= 0) parts?.splice(index, 1);
}

function swap(list: Json[] | undefined, index: number): void {
  const [one, other] = [list?.[index], list?.[index + 1]];
  if (one && other) list?.splice(index, 2, other, one);
}
