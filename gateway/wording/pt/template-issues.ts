import { type FactWords } from '../facts';
import { type TemplateFactValues, type TemplatePart } from '../template-issues';

const PARTS: Record<TemplatePart, string> = {
  header: 'O cabeçalho',
  body: 'O corpo',
  footer: 'O rodapé',
  label: 'O texto do botão',
  url: 'A URL',
  phone: 'O número de telefone',
  code: 'O código de exemplo',
  offer: 'O texto da oferta',
};

const EXPECTED = {
  text: 'um texto',
  list: 'uma lista',
  object: 'um objeto',
  number: 'um número',
  boolean: 'true ou false',
};
const KINDS = { component: 'componente', header: 'cabeçalho', button: 'botão' };
const INSIDE = {
  authentication: 'Um modelo de autenticação',
  offer: 'Uma oferta por tempo limitado',
  card: 'Um cartão do carrossel',
};

export const templateIssues: Pick<FactWords, keyof TemplateFactValues> = {
  'template.field.missing': ({ field }) => `Falta "${field}".`,
  'template.field.type': ({ field, expected }) =>
    field === '' ? 'Um modelo é um objeto JSON.' : `"${field}" deve ser ${EXPECTED[expected]}.`,
  'template.value.unknown': ({ field, given, possible }) =>
    `"${field}" não pode ser "${given}". Use ${possible.join(', ')}.`,
  'template.kind.unknown': ({ of, given }) =>
    `"${given}" não é um tipo conhecido de ${KINDS[of]}. Verifique a grafia.`,
  'template.text.long': ({ part, length, most }, { number }) =>
    `${PARTS[part]} tem ${number(length)} caracteres. O limite é ${number(most)}.`,
  'template.number.range': ({ field, least, most }, { number }) =>
    `"${field}" deve ser um número inteiro de ${number(least)} a ${number(most)}.`,

  'template.name.format': ({ most }) =>
    `Use no nome apenas letras minúsculas, dígitos e sublinhados, no máximo ${most} caracteres.`,
  'template.name.sample': ({ name }) =>
    `"${name}" é o nome de um modelo de amostra da plataforma. Escolha outro nome.`,
  'template.name.taken': ({ name, language }) =>
    `Já existe um modelo "${name}" em ${language}. Edite-o ou escolha outro nome.`,
  'template.name.deleted': ({ name, until }, { time }) =>
    `Um modelo "${name}" foi excluído. O nome poderá ser usado de novo em ${time(until)}. Escolha outro nome.`,
  'template.language.unknown': ({ given }) =>
    `A plataforma não tem o idioma "${given}". Use um código como en_US ou pt_BR.`,
  'template.category.other': ({ given, existing }) =>
    `A categoria é ${given}, mas este modelo é ${existing} nos outros idiomas. Use ${existing}.`,
  'template.category.unfit': ({ what, categories }) =>
    `${what} só é possível na categoria ${categories.join(' ou ')}.`,
  'template.category.promotional': ({ word }) =>
    `"${word}" parece uma oferta. A plataforma pode mudar a categoria para MARKETING.`,
  'template.account.full': ({ most }, { number }) =>
    `A conta tem ${number(most)} modelos, o máximo possível. Exclua modelos que não são mais usados.`,

  'template.component.missing': ({ component }) => `Adicione o componente ${component}.`,
  'template.component.twice': ({ component }) => `${component} aparece duas vezes. Deixe só um.`,
  'template.component.unfit': ({ component, in: place }) =>
    `${INSIDE[place]} não pode ter o componente ${component}. Remova-o.`,
  'template.carousel.beside': ({ component }) =>
    `Um carrossel costuma ter só um BODY ao lado. ${component} pode ser recusado.`,
  'template.carousel.cards': ({ least, most }) => `Um carrossel tem de ${least} a ${most} cartões.`,
  'template.carousel.unlike': () =>
    'Todos os cartões precisam dos mesmos componentes, do mesmo tipo de cabeçalho e dos mesmos tipos de botões.',
  'template.header.unfit': ({ in: place, formats }) =>
    `O cabeçalho de ${place === 'card' ? 'um cartão do carrossel' : 'uma oferta por tempo limitado'} deve ser ${formats.join(', ')}.`,
  'template.header.format': () =>
    'Remova do cabeçalho as quebras de linha, os emojis e os caracteres * _ ~ `.',
  'template.header.variables': () => 'Um cabeçalho pode ter só uma variável.',
  'template.body.lines': ({ most }) =>
    `O corpo tem mais de ${most} quebras de linha seguidas. Remova algumas.`,
  'template.body.emojis': ({ most }) => `O corpo tem mais de ${most} emojis. Remova alguns.`,
  'template.body.variables_only': () => 'O corpo só tem variáveis. Adicione texto.',
  'template.footer.format': () => 'Remova do rodapé as quebras de linha e os emojis.',
  'template.footer.variables': () => 'Um rodapé não pode ter variáveis. Escreva o texto completo.',

  'template.variable.format': () =>
    'Escreva cada variável como {{1}} ou {{nome}}, com letras minúsculas, dígitos e sublinhados.',
  'template.variable.mixed': () => 'Use só números ou só nomes em todas as variáveis.',
  'template.variable.gap': ({ missing }) =>
    `Falta {{${missing}}}. Numere as variáveis a partir de {{1}}, sem saltos.`,
  'template.variable.edge': () => 'O corpo começa ou termina com uma variável. Adicione texto em volta dela.',
  'template.variable.punctuation': () =>
    'Depois da última variável há só pontuação. A plataforma pode considerar que o corpo termina com uma variável.',
  'template.variable.adjacent': () => 'Há duas variáveis seguidas. Adicione texto entre elas.',
  'template.variable.ratio': ({ words, variables }, { plural }) =>
    `${plural(variables, 'Uma variável é', '# variáveis são')} demais para ${plural(words, 'uma palavra', '# palavras')}. Adicione texto.`,
  'template.sample.missing': ({ variable }) =>
    variable === null ? 'Adicione um exemplo.' : `Adicione um exemplo para {{${variable}}}.`,
  'template.sample.count': ({ needed, given }, { plural }) =>
    `${plural(needed, 'É necessário um exemplo', 'São necessários # exemplos')}, mas ${plural(given, 'há um', 'há #')}.`,
  'template.sample.personal': ({ given }) => `"${given}" parece um dado pessoal. Use um exemplo inventado.`,
  'template.link.shortener': ({ host }) =>
    `Os links de ${host} escondem o destino. Use o endereço completo do seu site.`,

  'template.buttons.count': ({ most }) => `São possíveis no máximo ${most} botões.`,
  'template.buttons.kind_count': ({ kind, most }, { plural }) =>
    `É possível no máximo ${plural(most, 'um botão', '# botões')} do tipo ${kind}.`,
  'template.buttons.grouping': () =>
    'Deixe todas as respostas rápidas juntas, antes ou depois dos outros botões.',
  'template.button.format': () =>
    'Remova do texto do botão as variáveis, as quebras de linha, os emojis e os caracteres * _ ~ `.',
  'template.button.unfit': ({ kind, possible }) =>
    `Um cartão do carrossel não pode ter um botão ${kind}. Use ${possible.join(', ')}.`,
  'template.url.format': () => 'Informe um endereço completo, como https://example.com/orders',
  'template.url.variable': () => 'Uma URL pode ter uma variável, no final.',
  'template.offer.code_order': () => 'Em uma oferta por tempo limitado, o botão COPY_CODE vem primeiro.',

  'template.authentication.text': () =>
    'A plataforma escreve o texto dos modelos de autenticação. Remova "text".',
  'template.authentication.button': () =>
    'Um modelo de autenticação precisa de um botão OTP e de nenhum outro botão.',
  'template.authentication.apps': ({ most }) => `São possíveis no máximo ${most} aplicativos.`,
  'template.authentication.package': ({ most }) =>
    `Informe o nome do pacote de um aplicativo Android, como com.example.app, no máximo ${most} caracteres.`,
  'template.authentication.hash': ({ length }) =>
    `Um hash de assinatura tem ${length} caracteres: letras, dígitos, +, / e =.`,
  'template.authentication.terms': () =>
    'ZERO_TAP exige "zero_tap_terms_accepted": true, que aceita os termos da plataforma.',

  'template.edit.state': ({ status }) =>
    `O modelo está ${status}. Só modelos APPROVED, REJECTED e PAUSED podem ser editados.`,
  'template.edit.empty': () =>
    'Nada a alterar: envie "components", "category" ou "message_send_ttl_seconds".',
  'template.edit.category': () =>
    'A categoria de um modelo aprovado não pode ser alterada. Crie um modelo novo.',
  'template.edit.fixed': ({ field }) => `"${field}" não pode ser editado. Crie um modelo novo.`,
  'template.edit.daily': ({ until }, { time }) =>
    `Um modelo aprovado pode ser editado uma vez por dia. Edite-o de novo depois de ${time(until)}.`,
  'template.edit.monthly': ({ most, until }, { time }) =>
    `Um modelo aprovado pode ser editado ${most} vezes em 30 dias. Edite-o de novo depois de ${time(until)}.`,
};
