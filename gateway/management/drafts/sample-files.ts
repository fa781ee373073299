import { createHash } from 'node:crypto';
import { fileEmpty, fileNotSupported, invalidField } from '../../errors';
import { contentOf, SIGNATURE_BYTES } from '../../media/file-content';
import { type By } from '../../rights/grants';
import { type Store } from '../../store/store';
import { writableDraft } from '../../templates/drafts/manage-drafts';
import { isoTime, type Clock } from '../../time';
import { fact } from '../../wording/facts';

/** The largest sample file. */
export const MOST_MEGABYTES = 5;
/** The most sample files of a draft: of ten cards in four languages. */
const MOST_FILES = 40;
/** The MIME types of samples that the platform takes. */
const SAMPLE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf'];

const LONGEST_NAME = 200;

/**
 * Stores a sample file with a draft. Its marker in the content is `{"file": HASH}`. A file that the content does not
 * use is removed with a later save.
 * @returns the hash
 * @throws Refusal that names the field `file`
 */
export async function addSampleFile(
  { store, clock }: { store: Pick<Store, 'templateDrafts'>; clock: Clock },
  by: By,
  draftId: number,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<string> {
  const draft = await writableDraft(store, by, draftId);
  const type = sampleTypeOf(bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const known = await store.templateDrafts.files(draft.id);
  if (known.length >= MOST_FILES && !known.some((file) => file.hash === hash))
    throw invalidField('file', 'maxItems', fact('sample.many', { most: MOST_FILES }));
  await store.templateDrafts.addFile({
    draft_id: draft.id,
    hash,
    name: name.toWellFormed().replaceAll('\0', '').slice(-LONGEST_NAME),
    type,
    bytes,
    added_at: isoTime(clock()),
  });
  return hash;
}

/** The MIME type of a sample, by its content. */
function sampleTypeOf(bytes: Buffer): string {
  if (!bytes.length) throw fileEmpty();
  if (bytes.length > MOST_MEGABYTES * 1024 * 1024)
    throw invalidField('file', 'maxLength', fact('sample.large', { megabytes: MOST_MEGABYTES }));
  const found = contentOf(bytes.subarray(0, SIGNATURE_BYTES));
  const type = SAMPLE_TYPES.find((one) => found.types.includes(one));
  if (type === undefined) throw fileNotSupported(found.named, [...SAMPLE_TYPES]);
  return type;
}
