import { type FactWords } from '../facts';
import { type TemplateFactValues, type TemplatePart } from '../template-issues';

const PARTS: Record<TemplatePart, string> = {
  header: 'El encabezado',
  body: 'El cuerpo',
  footer: 'El pie',
  label: 'El texto del botón',
  url: 'La URL',
  phone: 'El número de teléfono',
  code: 'El código de ejemplo',
  offer: 'El texto de la oferta',
};

const EXPECTED = {
  text: 'un texto',
  list: 'una lista',
  object: 'un objeto',
  number: 'un número',
  boolean: 'true o false',
};
const KINDS = { component: 'componente', header: 'encabezado', button: 'botón' };
const INSIDE = {
  authentication: 'Una plantilla de autenticación',
  offer: 'Una oferta por tiempo limitado',
  card: 'Una tarjeta del carrusel',
};

export const templateIssues: Pick<FactWords, keyof TemplateFactValues> = {
  'template.field.missing': ({ field }) => `Falta "${field}".`,
  'template.field.type': ({ field, expected }) =>
    field === '' ? 'Una plantilla es un objeto JSON.' : `"${field}" debe ser ${EXPECTED[expected]}.`,
  'template.value.unknown': ({ field, given, possible }) =>
    `"${field}" no puede ser "${given}". Use ${possible.join(', ')}.`,
  'template.kind.unknown': ({ of, given }) =>
    `"${given}" no es un tipo conocido de ${KINDS[of]}. Revise la ortografía.`,
  'template.text.long': ({ part, length, most }, { number }) =>
    `${PARTS[part]} tiene ${number(length)} caracteres. El límite es ${number(most)}.`,
  'template.number.range': ({ field, least, most }, { number }) =>
    `"${field}" debe ser un número entero entre ${number(least)} y ${number(most)}.`,

  'template.name.format': ({ most }) =>
    `Use en el nombre solo letras minúsculas, dígitos y guiones bajos, como máximo ${most} caracteres.`,
  'template.name.sample': ({ name }) =>
    `"${name}" es el nombre de una plantilla de muestra de la plataforma. Elija otro nombre.`,
  'template.name.taken': ({ name, language }) =>
    `Ya existe una plantilla "${name}" en ${language}. Edítela o elija otro nombre.`,
  'template.name.deleted': ({ name, until }, { time }) =>
    `Se eliminó una plantilla "${name}". El nombre se puede volver a usar el ${time(until)}. Elija otro nombre.`,
  'template.language.unknown': ({ given }) =>
    `La plataforma no tiene el idioma "${given}". Use un código como en_US o pt_BR.`,
  'template.category.other': ({ given, existing }) =>
    `La categoría es ${given}, pero esta plantilla es ${existing} en sus otros idiomas. Use ${existing}.`,
  'template.category.unfit': ({ what, categories }) =>
    `${what} solo es posible en la categoría ${categories.join(' o ')}.`,
  'template.category.promotional': ({ word }) =>
    `"${word}" parece una oferta. La plataforma puede cambiar la categoría a MARKETING.`,
  'template.account.full': ({ most }, { number }) =>
    `La cuenta tiene ${number(most)} plantillas, el máximo posible. Elimine plantillas que ya no se usan.`,

  'template.component.missing': ({ component }) => `Agregue el componente ${component}.`,
  'template.component.twice': ({ component }) => `${component} aparece dos veces. Deje solo uno.`,
  'template.component.unfit': ({ component, in: place }) =>
    `${INSIDE[place]} no puede tener el componente ${component}. Quítelo.`,
  'template.carousel.beside': ({ component }) =>
    `Un carrusel suele tener solo un BODY al lado. ${component} puede ser rechazado.`,
  'template.carousel.cards': ({ least, most }) => `Un carrusel tiene de ${least} a ${most} tarjetas.`,
  'template.carousel.unlike': () =>
    'Todas las tarjetas necesitan los mismos componentes, el mismo tipo de encabezado y los mismos tipos de botones.',
  'template.header.unfit': ({ in: place, formats }) =>
    `El encabezado de ${place === 'card' ? 'una tarjeta del carrusel' : 'una oferta por tiempo limitado'} debe ser ${formats.join(', ')}.`,
  'template.header.format': () =>
    'Quite del encabezado los saltos de línea, los emojis y los caracteres * _ ~ `.',
  'template.header.variables': () => 'Un encabezado puede tener una sola variable.',
  'template.body.lines': ({ most }) =>
    `El cuerpo tiene más de ${most} saltos de línea seguidos. Quite algunos.`,
  'template.body.emojis': ({ most }) => `El cuerpo tiene más de ${most} emojis. Quite algunos.`,
  'template.body.variables_only': () => 'El cuerpo solo tiene variables. Agregue texto.',
  'template.footer.format': () => 'Quite del pie los saltos de línea y los emojis.',
  'template.footer.variables': () => 'Un pie no puede tener variables. Escriba el texto completo.',

  'template.variable.format': () =>
    'Escriba cada variable como {{1}} o {{nombre}}, con letras minúsculas, dígitos y guiones bajos.',
  'template.variable.mixed': () => 'Use solo números o solo nombres en todas las variables.',
  'template.variable.gap': ({ missing }) =>
    `Falta {{${missing}}}. Numere las variables desde {{1}}, sin saltos.`,
  'template.variable.edge': () => 'El cuerpo empieza o termina con una variable. Agregue texto alrededor.',
  'template.variable.punctuation': () =>
    'Después de la última variable solo hay puntuación. La plataforma puede considerar que el cuerpo termina con una variable.',
  'template.variable.adjacent': () => 'Hay dos variables seguidas. Agregue texto entre ellas.',
  'template.variable.ratio': ({ words, variables }, { plural }) =>
    `${plural(variables, 'Una variable es', '# variables son')} demasiado para ${plural(words, 'una palabra', '# palabras')}. Agregue texto.`,
  'template.sample.missing': ({ variable }) =>
    variable === null ? 'Agregue un ejemplo.' : `Agregue un ejemplo para {{${variable}}}.`,
  'template.sample.count': ({ needed, given }, { plural }) =>
    `${plural(needed, 'Se necesita un ejemplo', 'Se necesitan # ejemplos')}, pero ${plural(given, 'hay uno', 'hay #')}.`,
  'template.sample.personal': ({ given }) => `"${given}" parece un dato personal. Use un ejemplo inventado.`,
  'template.link.shortener': ({ host }) =>
    `Los enlaces de ${host} ocultan su destino. Use la dirección completa de su sitio.`,

  'template.buttons.count': ({ most }) => `Se pueden usar como máximo ${most} botones.`,
  'template.buttons.kind_count': ({ kind, most }, { plural }) =>
    `Se puede usar como máximo ${plural(most, 'un botón', '# botones')} del tipo ${kind}.`,
  'template.buttons.grouping': () =>
    'Ponga todas las respuestas rápidas juntas, antes o después de los otros botones.',
  'template.button.format': () =>
    'Quite del texto del botón las variables, los saltos de línea, los emojis y los caracteres * _ ~ `.',
  'template.button.unfit': ({ kind, possible }) =>
    `Una tarjeta del carrusel no puede tener un botón ${kind}. Use ${possible.join(', ')}.`,
  'template.url.format': () => 'Escriba una dirección completa, como https://example.com/orders',
  'template.url.variable': () => 'Una URL puede tener una variable, al final.',
  'template.offer.code_order': () => 'En una oferta por tiempo limitado, el botón COPY_CODE va primero.',

  'template.authentication.text': () =>
    'La plataforma escribe el texto de las plantillas de autenticación. Quite "text".',
  'template.authentication.button': () =>
    'Una plantilla de autenticación necesita un botón OTP y ningún otro botón.',
  'template.authentication.apps': ({ most }) => `Se pueden usar como máximo ${most} aplicaciones.`,
  'template.authentication.package': ({ most }) =>
    `Escriba el nombre del paquete de una aplicación Android, como com.example.app, de ${most} caracteres como máximo.`,
  'template.authentication.hash': ({ length }) =>
    `Un hash de firma tiene ${length} caracteres: letras, dígitos, +, / y =.`,
  'template.authentication.terms': () =>
    'ZERO_TAP requiere "zero_tap_terms_accepted": true, que acepta los términos de la plataforma.',

  'template.edit.state': ({ status }) =>
    `La plantilla está ${status}. Solo se pueden editar plantillas APPROVED, REJECTED y PAUSED.`,
  'template.edit.empty': () =>
    'No hay nada que cambiar: envíe "components", "category" o "message_send_ttl_seconds".',
  'template.edit.category': () =>
    'La categoría de una plantilla aprobada no se puede cambiar. Cree una plantilla nueva.',
  'template.edit.fixed': ({ field }) => `"${field}" no se puede editar. Cree una plantilla nueva.`,
  'template.edit.daily': ({ until }, { time }) =>
    `Una plantilla aprobada se puede editar una vez al día. Edítela de nuevo después de ${time(until)}.`,
  'template.edit.monthly': ({ most, until }, { time }) =>
    `Una plantilla aprobada se puede editar ${most} veces en 30 días. Edítela de nuevo después de ${time(until)}.`,
};
