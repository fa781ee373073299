import { type FactWords } from '../facts';
import { failedAttempt } from '../failed-attempt';
import { placeIn, tokenIn } from './alerts';
import { checks } from './checks';
import { issues } from './issues';
import { rateCards } from './rate-cards';
import { templateIssues } from './template-issues';

const OUTCOMES: Record<string, string> = {
  timeout: 'sin respuesta a tiempo',
  dns: 'nombre de host desconocido',
  tls: 'sin conexión segura',
  connection: 'no se pudo conectar',
  address_refused: 'dirección no permitida',
};

const ANSWERS: Record<string, string> = {
  'HTTP 401': 'el receptor exige credenciales, por ejemplo una cabecera Authorization',
  'HTTP 403': 'el receptor exige credenciales, por ejemplo una cabecera Authorization',
  'HTTP 404': 'no encontrado; si es n8n, el workflow puede estar inactivo',
};

const RESTRICTIONS: Record<string, string> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: 'iniciar conversaciones',
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: 'responder a clientes',
  RESTRICTED_ADD_PHONE_NUMBER_ACTION: 'agregar números de teléfono',
};

const DISABLED: Record<string, string> = {
  SCHEDULE_FOR_DISABLE: 'Se desactivará',
  DISABLE: 'Está desactivada',
};

const UNREPORTED = {
  connection: (name: string) => `Por ahora WhatsApp no informa si ${name} está conectada`,
  restriction: (name: string) => `Por ahora WhatsApp no informa si ${name} está restringida`,
  rating: (name: string) => `Por ahora WhatsApp no califica ${name}`,
  limit: (name: string) => `Por ahora WhatsApp no informa el límite de mensajes de ${name}`,
  setup: (name: string) => `WhatsApp no informa por el momento de la configuración de ${name}`,
};

export const facts: FactWords = {
  ...checks,
  ...issues,
  ...rateCards,
  ...templateIssues,

  'attempt.failed': failedAttempt(OUTCOMES, ANSWERS),
  'paused.by': ({ who }) => (who === null ? 'Pausado por el operador.' : `Pausado por ${who}.`),
  'paused.undeliverable': ({ since, last }, { say, time }) =>
    `No se pudo entregar ningún evento desde ${time(since)} (último intento: ${say({ word: 'attempt.failed', values: { failure: last } })}). Los eventos quedan guardados.`,
  'paused.gone': () => 'Respondió 410 Gone.',

  'address.allow': ({ entry }) =>
    `Configure GATEWAY_ALLOW_DESTINATIONS=${entry}, o añada esa entrada a la lista, y reinicie el gateway.`,
  'handshake.done': () => 'Respondió al desafío.',
  'handshake.ignored': ({ status }) =>
    `Respondió HTTP ${status} sin el desafío. Los eventos se envían de todos modos.`,
  'handshake.forbidden': ({ because }, { say }) =>
    `${say(because)} Hasta entonces, los eventos quedan en espera aquí.`,
  'handshake.unknown_host': ({ host }) =>
    `No se encuentra el nombre de host ${host}. Compruebe cómo está escrito. Los eventos quedan en espera hasta que se encuentre el nombre.`,
  'handshake.failed': ({ message }) =>
    `No se le pudo preguntar: ${message}. Los eventos se envían de todos modos.`,
  'handshake.unreached': () =>
    'El gateway no puede llegar a esta dirección. Si la dirección es privada, por ejemplo n8n en la misma red de Docker, el operador del gateway debe permitirla con GATEWAY_ALLOW_DESTINATIONS. Los eventos se envían de todos modos.',

  'account.restricted': ({ from }) =>
    `Por ahora no puede ${from.map((one) => RESTRICTIONS[one] ?? one).join(', ') || 'hacer todo'}.`,
  'account.violation': ({ type }) =>
    `WhatsApp informa una infracción de su política${type === null ? '' : `: ${type}`}.`,
  'account.disabled': ({ state, date }) =>
    `${DISABLED[state] ?? 'Se va a desactivar'}${date === null ? '' : ` (${date})`}.`,
  'account.deleted': () => 'Se eliminó.',

  'over.process_ended': ({ process }) => `${process} terminó y ya no vigila esto`,
  'over.line_deactivated': ({ name }) => `${name} se desactivó`,
  'over.line_removed': ({ id }) => `La línea ${id} se eliminó`,
  'over.destination_removed': ({ place }) => `${placeIn(place)} se eliminó`,
  'over.destination_expired': ({ place }) => `${placeIn(place)} venció`,
  'over.destination_paused': ({ place }) => `${placeIn(place)} está en pausa`,
  'over.resumed_failing': ({ place }) => `${placeIn(place)} ya no está en pausa, pero no acepta eventos`,
  'over.channel_removed': () => 'Se eliminó un canal al que las alertas no llegaban',
  'over.channel_paused': ({ channel }) => `El canal ${channel} está en pausa`,
  'over.channel_changed': ({ channel }) => `El canal ${channel} se cambió y se intenta de nuevo`,
  'over.process_missed': ({ process }) => `El proceso ${process} desapareció hace un día y ya no se espera`,
  'over.token_expired': ({ token, milliseconds }, { duration }) =>
    `${tokenIn(token)} venció hace ${duration(milliseconds)} y ya no se vigila`,
  'over.token_replaced': ({ name }) => `${name} tiene otro token de acceso, que todavía no se usó`,
  'over.unreported': ({ what, name }) => UNREPORTED[what](name),
  'over.usual': ({ what, name }) =>
    what === 'category'
      ? 'WhatsApp cambió la categoría hace una semana, y ahora cuenta como habitual'
      : `${what === 'limit' ? 'El límite de mensajes' : 'La calificación de calidad'} de ${name ?? 'una línea'} lleva una semana por debajo y ahora cuenta como habitual`,

  'muted.line': ({ line }) => `Todo sobre ${line}`,
  'muted.everything': () => 'Todo',

  'entry.inserted': ({ number }) => `El registro ${number} fue insertado: no forma parte de la auditoría.`,
  'entry.many_inserted': ({ most }) => `Se insertaron más de ${most} registros.`,
  'entry.missing': ({ from, to }) =>
    from === to ? `Falta el registro ${from}.` : `Faltan los registros ${from} a ${to}.`,
  'entry.unverifiable': ({ missing, number }) =>
    `Falta el registro ${missing}. El registro ${number} no se puede verificar.`,
  'entry.changed': ({ number, at }) => `El registro ${number} de ${at} no está como se escribió.`,
  'entry.no_head': () => 'Falta la cabecera de la auditoría.',
  'entry.no_key': () => 'Falta la clave de la auditoría.',
  'entry.other_start': () => 'El inicio de la auditoría no está como se selló.',
  'entry.other_last': () => 'El último registro no es el que indica la cabecera.',
  'entry.of_customer': ({ customer, number }) =>
    `La auditoría del cliente ${customer} no está como se escribió, a partir del registro ${number}.`,
  'entry.unexpected': ({ number }) =>
    `El registro ${number} no es el esperado: fue reemplazado o se restauró un estado anterior.`,

  'channel.late': () => 'No respondió a tiempo.',
  'channel.unreached': ({ why }) => `No se pudo acceder a él: ${why || 'la conexión falló'}.`,
  'channel.answered': ({ status, text }) =>
    `Respondió${status === null ? '' : ` HTTP ${status}`}${text ? `: ${text}` : '.'}`,
  'channel.no_line': () => 'La línea no existe. Elija otra.',
  'channel.no_template': ({ template }) => `La línea no tiene la plantilla ${template}.`,
  'channel.whatsapp': ({ why }) => `WhatsApp dice: ${why}`,
  'channel.smtp_late': () => 'El servidor no aceptó el correo a tiempo.',
  'channel.smtp': ({ why }) => `El servidor no aceptó el correo: ${why}`,
  'channel.telegram': () => 'Telegram no aceptó el mensaje.',
  'channel.unknown_kind': () => 'Esta versión del gateway no conoce este tipo de canal.',

  'mail.no_server': () =>
    'No hay servidor de correo. Agregue un canal de correo para todas las alertas; se usará su servidor.',
  'invitation.subject': () => 'Invitación a Messaging Gateway',
  'invitation.text': ({ link }) =>
    `Recibió una invitación a Messaging Gateway. Abra este enlace en un plazo de 72 horas para aceptarla. Funciona una sola vez:\n\n${link}\n\nSi no esperaba una invitación, ignore este correo.`,
  'channel.test': ({ channel }) => `Las alertas llegan a ${channel}`,
  'channel.test.text': ({ who }) => `Esta es una prueba que pidió ${who}. No hay ningún incidente.`,
};
