import { type Store } from '../../gateway/store/store';

/** A template with two variables, as customers send it. */
export const ORDER_UPDATE = {
  name: 'order_update',
  language: { code: 'en_US' },
  components: [{ type: 'body', parameters: ['Ana', '7781'].map((text) => ({ type: 'text', text })) }],
};

/** Stores the template as approved. */
export async function keepOrderUpdate(
  store: Pick<Store, 'templates'>,
  line: { id: number; wabaId: string },
  now: string,
): Promise<void> {
  const template = {
    name: ORDER_UPDATE.name,
    language: ORDER_UPDATE.language.code,
    upstream_id: null,
    category: 'UTILITY',
    upstream_status: 'APPROVED',
    quality_score: null,
    rejected_reason: null,
    quality_node: null,
    parameter_format: 'POSITIONAL',
    components: COMPONENTS,
  };
  await store.templates.replaceSynced(line.id, [template], {
    wabaId: line.wabaId,
    readAt: now,
    syncedAt: now,
  });
}

const COMPONENTS = JSON.stringify([
  { type: 'HEADER', format: 'TEXT', text: 'Your order' },
  { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' },
  { type: 'FOOTER', text: 'Thank you for your order' },
]);
