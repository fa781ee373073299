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

  'phone.invalid': () => 'Escriba un número de teléfono con el código del país, como +55 11 98765-4321.',
  'email.addresses': () => 'Escriba direcciones de correo separadas por comas, como ana@example.com',
  'email.address': () => 'Escriba una dirección de correo, como gateway@example.com',
  'host.invalid': () => 'Escriba el nombre de un servidor, como smtp.example.com',
  'port.invalid': () => 'Escriba un puerto, un número de hasta 65535.',
  'bot_token.invalid': () => 'Escriba el token de un bot, como 110201543:AAHdq…',
  'topic.invalid': () => 'Un tema tiene letras, dígitos, - y _, como máximo 64.',
  'json.invalid': ({ why }) => `Esto no es JSON: ${why}`,
};
