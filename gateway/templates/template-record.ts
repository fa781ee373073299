import { qualityOf } from '../cloud-api/phone-number';
import { readComponents, templateParts, templateStateOf, type TemplateState } from '../cloud-api/template';
import { type TemplateRow } from '../store/tables/templates';

export type TemplateRecord = ReturnType<typeof templateRecord>;

/**
 * A template as the templates operation returns it, with all data for building a form.
 * @param row from the table; the times of its values are not used
 */
export function templateRecord(row: Omit<TemplateRow, `${string}_at`>) {
  const components = readComponents(JSON.parse(row.components));
  const parts = templateParts(components);
  return {
    id: row.upstream_id,
    name: row.name,
    language: row.language,
    category: row.category,
    status: stateOf(row),
    platform_status: row.upstream_status,
    quality_score: qualityOf(row.quality_score),
    parameter_format: row.parameter_format,
    header: parts.header,
    body: parts.body,
    footer: parts.footer,
    buttons: parts.buttons,
    variables: parts.bodyVariables.length,
    variable_names: parts.bodyVariables,
    header_variables: parts.headerVariables,
    is_starter: row.is_starter === 1,
    components,
  };
}

/** An unknown platform status counts as pending, and so does a template that the platform does not have. */
const stateOf = (row: Pick<TemplateRow, 'upstream_status'>): TemplateState =>
  templateStateOf(row.upstream_status ?? '') ?? 'pending';
