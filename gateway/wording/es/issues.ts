import { type FactWords } from '../facts';
import { type Copied, type IssueValues } from '../issues';

const COPIED = {
  access_token: 'El token de acceso',
  app_secret: 'El secreto de la app',
  signing_secret: 'El secreto de firma',
};

function copiedIn(what: Copied): string {
  if (typeof what === 'string') return COPIED[what];
  return 'header' in what ? `El valor de ${what.header}` : what.setting;
}

export const issues: Pick<FactWords, keyof IssueValues> = {
  'url.invalid': () => 'Escriba una dirección completa, como https://example.com/webhook',
  'url.long': ({ most }) => `Una URL tiene hasta ${most} caracteres.`,
  'url.scheme': ({ scheme }) => `Un destino empieza por https:// o http://, no por ${scheme}//`,
  'url.user': () => 'Un destino no lleva usuario ni contraseña. Use un encabezado propio.',
  'address.invalid': ({ address }) => `${address} no es una dirección.`,
  'address.private': ({ place, entry }, { say }) =>
    `${place} no es una dirección pública. ${
      entry === null
        ? 'Pida al operador del gateway que añada esta dirección.'
        : say({ word: 'address.allow', values: { entry } })
    }`,

  'header.many': ({ most }) => `Se admiten como máximo ${most} encabezados.`,
  'header.name': ({ name }) => `${name} no es un nombre de encabezado.`,
  'header.own': ({ name }) => `El encabezado ${name} lo envía el propio gateway.`,
  'header.value': ({ name, most }) =>
    `El valor de ${name} tiene hasta ${most} caracteres, en una línea y sin acentos.`,
  'header.lines': () => 'Escriba cada encabezado en una línea, como "Nombre: valor".',
  'header.elsewhere': () =>
    'Este destino tiene encabezados y la nueva dirección está en otro servidor. Escriba los encabezados de nuevo junto con la dirección, o quítelos.',
  'secret.length': ({ least, most }) => `Un secreto de firma tiene entre ${least} y ${most} caracteres.`,

  'copied.spaces': ({ what }) =>
    `${copiedIn(what)} contiene un espacio o un salto de línea. Cópielo de nuevo, en una línea.`,
  'copied.hidden': ({ what }) =>
    `${copiedIn(what)} tiene un espacio al principio o al final, un salto de línea o un carácter invisible. Cópielo de nuevo, en una línea.`,
  'copied.long': ({ what }) => `${copiedIn(what)} es demasiado largo. Cópielo de nuevo.`,

  'seconds.range': ({ most }, { number }) => `Escriba un número entero de segundos, de 1 a ${number(most)}.`,
  'choice.none': () => 'Elija al menos uno.',
  'choice.unknown': ({ given, possible }) => `${given} no es posible aquí. Elija ${possible.join(', ')}.`,
  'raw.waits': () =>
    'Solo los eventos sueltos pueden esperar a que el contacto haga una pausa: elija el modo split o ninguna pausa.',

  'name.missing': () => 'Escriba un nombre.',
  'name.long': ({ most }) => `Un nombre tiene hasta ${most} caracteres.`,
  'name.hidden': () =>
    'El nombre contiene una tabulación, un salto de línea o un carácter invisible. Escríbalo de nuevo.',
  'number_id.invalid': () => 'Un ID del número de teléfono solo tiene dígitos, como 106540352242922.',
  'number_id.taken': () => 'Otra línea ya tiene este ID de número de teléfono.',
  'waba_id.invalid': () => 'Un ID de cuenta de WhatsApp Business solo tiene dígitos, como 102290129340398.',
  'waba_id.same': () => 'Este es otra vez el ID del número de teléfono; la cuenta tiene un ID propio.',
  'access_token.missing': () => 'Indique el token de acceso que envía los mensajes.',
  'app_secret.missing': () => 'Indique el secreto de la app. Sin él, el gateway no puede recibir eventos.',
  'hours.range': ({ most }) =>
    `Escriba un número entero de horas, como máximo ${most}, o 0 para ninguna pausa.`,
  'number.range': ({ most }, { number }) => `Escriba un número entero de 1 a ${number(most)}.`,
  'overlap.range': ({ most }, { number }) =>
    `Escriba un número entero de horas, como máximo ${number(most)}, o 0 para terminar el anterior de inmediato.`,
  'end.hours': ({ most }, { number }) => `Escriba un número entero de horas, de 1 a ${number(most)}.`,
  'end.time': ({ most }, { number }) =>
    `Escriba las horas o un momento dentro de las próximas ${number(most)} horas, como 2026-12-24T18:00:00Z.`,
  'user_name.invalid': ({ most }) =>
    `Un nombre tiene hasta ${most} letras y dígitos, y puede llevar . _ - + @ entre ellos.`,
  'user_name.taken': () => 'Este nombre ya está en uso. Elija otro.',
  'role.owner': () => 'Los propietarios administran todo el gateway. Elija otro rol para un cliente.',
  'customer.missing': () => 'Elija un cliente.',
  'customer.unknown': () => 'Ese cliente no existe.',
  'line_id.unknown': () => 'Esa línea no existe.',
  'days.range': ({ most }, { number }) => `Escriba un número de días de 1 a ${number(most)}.`,
  'reach.both': () => 'Elija clientes o líneas, no ambos.',
  'permissions.above': ({ names }) => `No tiene ${names.join(', ')} para todo lo que abarca el token.`,
  'permissions.narrow': ({ names }) =>
    `Un token que abarca solo algunos clientes o líneas no puede tener ${names.join(', ')}.`,
  'external_id.missing': () => 'Introduzca un ID externo o deje el campo vacío.',
  'external_id.long': ({ most }) => `Un ID externo tiene hasta ${most} caracteres.`,
  'external_id.hidden': () =>
    'El ID externo contiene una tabulación, un salto de línea o un carácter invisible. Escríbalo de nuevo.',
  'external_id.taken': () => 'Otro cliente tiene este ID externo.',
  'number_id.elsewhere': () =>
    'No se puede añadir este número de teléfono aquí. Consulte al operador del gateway.',
  'password.short': ({ least }) =>
    `Use al menos ${least} caracteres. Cuatro palabras seguidas forman una buena contraseña.`,
  'password.long': ({ most }, { number }) => `Use como máximo ${number(most)} caracteres.`,
  'password.plain': () => 'Use más caracteres distintos.',
  'password.name': () => 'Use algo distinto de su nombre.',
  'words.both': ({ word }) => `"${word}" sirve para ambos, darse de baja y volver.`,
  'words.long': ({ most }) => `Una palabra tiene hasta ${most} caracteres.`,
  'words.hidden': () => 'Una palabra contiene un carácter invisible. Escriba las palabras de nuevo.',
  'words.many': ({ most }) => `Puede haber hasta ${most} palabras.`,

  'platform.unreached': () =>
    'Ahora no se pudo contactar con la plataforma, así que no se pudo comprobar nada.',
  'platform.unclear': ({ says }) => `No se pudo comprobar nada. La plataforma dice: ${says}.`,
  'platform.wrong_token': ({ says }) =>
    `La plataforma no acepta este token de acceso: está mal escrito, venció o fue revocado. La plataforma dice: ${says}.`,
  'platform.no_access': ({ to, says }) =>
    `Este token de acceso no puede usar ${to === 'number' ? 'este número de teléfono' : 'esta cuenta de empresa'}. Dé a su usuario del sistema los activos y los permisos whatsapp_business_messaging y whatsapp_business_management. La plataforma dice: ${says}.`,
  'platform.unknown_id': ({ of, says }) =>
    `La plataforma no conoce ${of === 'number' ? 'un número de teléfono' : 'una cuenta de empresa'} con este ID que el token de acceso pueda usar. Cuide de no confundir los dos ID. La plataforma dice: ${says}.`,
  'platform.other_account': () =>
    'El número de teléfono no pertenece a esta cuenta de empresa. Copie el ID de la cuenta que la plataforma muestra junto al ID del número de teléfono.',
  'platform.other_number': ({ number }) => `La plataforma indica ${number} para este ID.`,

  'value.missing': () => 'Escriba un valor.',
  'server.changed': () => 'Escríbalo de nuevo, porque el servidor cambió.',
  'scope.missing': () => 'Elija las líneas que cubre el canal.',
  'time.invalid': () => 'Escriba una hora, como 22:00.',
  'date.invalid': () => 'Escriba una fecha o una hora, como 2027-01-31T00:00:00Z.',
  'day.invalid': () => 'Escriba un día, como 2027-01-31.',
  'period.reversed': () => 'El último día no puede ser anterior al primero.',
  'period.long': ({ most }) => `Elija como máximo ${most} días.`,
  'country.invalid': () => 'Escriba un país con dos letras, como BR, o ?? para países desconocidos.',
  'usage.many': ({ most }, { number }) =>
    `El informe tendría más de ${number(most)} filas. Elija periodos más largos, menos días o un filtro.`,
  'date.past': () => 'Escriba un momento futuro.',
  'time_zone.unknown': () => 'Escriba una zona horaria, como America/Sao_Paulo o UTC.',
  'phone.invalid': () => 'Escriba un número de teléfono con el código del país, como +55 11 98765-4321.',
  'recipient.invalid': () =>
    'Escriba un número de teléfono con el código de país, como +55 11 98765-4321, o un ID de usuario, como US.13491208655302741918.',
  'email.addresses': () => 'Escriba direcciones de correo separadas por comas, como ana@example.com',
  'email.address': () => 'Escriba una dirección de correo, como gateway@example.com',
  'host.invalid': () => 'Escriba el nombre de un servidor, como smtp.example.com',
  'port.invalid': () => 'Escriba un puerto, un número de hasta 65535.',
  'bot_token.invalid': () => 'Escriba el token de un bot, como 110201543:AAHdq…',
  'topic.invalid': () => 'Un tema tiene letras, dígitos, - y _, como máximo 64.',
  'json.invalid': ({ why }) => `Esto no es JSON: ${why}`,

  'oidc.key': () => 'Use hasta 40 letras minúsculas, cifras y guiones.',
  'oidc.key_taken': () => 'Otro proveedor ya tiene este nombre corto.',
  'oidc.issuer': () =>
    'Escriba el emisor como lo muestra el proveedor, por ejemplo https://login.example.com/realms/company',
  'oidc.issuer_taken': () => 'Este emisor ya está configurado.',
  'oidc.domain': () => 'Escriba dominios separados por comas, por ejemplo example.com',
  'oidc.many': ({ most }) => `Escriba como máximo ${most}.`,
  'oidc.long': ({ most }, { number }) => `Use como máximo ${number(most)} caracteres.`,
  'oidc.hidden': () => 'Contiene un salto de línea o un carácter invisible. Escríbalo de nuevo.',
  'oidc.no_roles': () => 'Los usuarios nuevos reciben sus roles de los grupos. Añada antes un grupo.',

  'draft.changed': ({ who, at }, { time }) => `${who} guardó este borrador el ${time(at)}.`,
  'draft.shape': () => 'Cada idioma de una plantilla necesita su código y una lista de componentes.',
  'draft.large': ({ kilobytes }) => `Un borrador tiene hasta ${kilobytes} KB.`,
  'draft.languages': ({ most }) => `Un borrador tiene hasta ${most} idiomas.`,
  'draft.parts': ({ most }) => `Un borrador tiene hasta ${most} partes y variables.`,
  'draft.import': () => 'Introduzca una plantilla como objeto JSON, o sus idiomas como lista de objetos.',
  'draft.differs': ({ field }) => `"${field}" debe ser igual en todos los idiomas.`,
  'sample.large': ({ megabytes }) => `Un archivo de ejemplo tiene hasta ${megabytes} MB.`,
  'sample.many': ({ most }) => `Un borrador tiene hasta ${most} archivos de ejemplo.`,
};
