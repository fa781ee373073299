import { type VNode } from 'preact';
import { CARD, COUNTS, LENGTHS } from '../../../templates/rules/table';
import { t } from '../../languages/t';
import { Submit, useFormState } from '../../ui/form';
import { categoryWord } from '../../ui/words/kind-words';
import { ButtonFields, Move } from './button-fields';
import { useEdited, useNotes } from './edited';
import { BodyFields, HeaderFields, Others } from './message-fields';
import { fieldWord } from './field-words';

/** The cards of a carousel, or the button that adds one. */
export function Cards({ prefix }: { prefix: string }): VNode {
  const { form } = useEdited().form;
  const issue = useFormState().issueOf(`${prefix}cards`);
  const notes = useNotes(
    `${prefix}cards`,
    t('From 2 to 10 cards, only in the category {category}. All cards have the same kinds of parts.', {
      category: categoryWord('MARKETING'),
    }),
  );
  const at = prefix.slice(0, -1);
  let count = 0;
  while (form.has(`${prefix}c${count}-card`)) count += 1;
  if (count === 0)
    return (
      <div class="editor-marketing">
        <Submit tone="plain" name="do" value={`add-carousel ${at}`}>
          {t('Add carousel')}
        </Submit>
      </div>
    );
  return (
    <fieldset class="editor-box" id={`field-${prefix}cards`} tabIndex={-1}>
      <legend>{fieldWord('-cards')}</legend>
      <p class="hint">{notes}</p>
      {issue && <p class="fault">{issue}</p>}
      {Array.from({ length: count }, (_, index) => (
        <CardBox key={index} prefix={`${prefix}c${index}-`} index={index} />
      ))}
      {count < COUNTS.cards.most && (
        <Submit tone="plain" name="do" value={`add-card ${at}`}>
          {t('Add card')}
        </Submit>
      )}
    </fieldset>
  );
}

function CardBox({ prefix, index }: { prefix: string; index: number }): VNode {
  const at = prefix.slice(0, -1);
  const title = t('Card {number}', { number: index + 1 });
  return (
    <fieldset class="editor-button" id={`part-${at}`}>
      <legend>{title}</legend>
      <HeaderFields prefix={prefix} formats={CARD.headers} />
      <BodyFields prefix={prefix} most={LENGTHS.cardBody} />
      <ButtonFields prefix={prefix} isCard />
      <Others prefix={prefix} />
      <div class="cluster">
        <Move change={`remove-card ${at}`} label={t('Remove')} of={title} />
      </div>
    </fieldset>
  );
}
