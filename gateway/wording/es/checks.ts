import { type CheckFactValues } from '../checks';
import { type FactWords } from '../facts';

const RATINGS = { HIGH: 'alta', MEDIUM: 'media', LOW: 'baja', UNKNOWN: 'aún sin calificación' };

export const checks: Pick<FactWords, keyof CheckFactValues> = {
  'check.unread': () => 'Aún no se ha comprobado.',
  'check.unreported': () => 'WhatsApp no informó de esto.',
  'check.lacks': ({ permission }) =>
    `No se puede leer: al token de acceso le falta el permiso ${permission}.`,
  'check.refused': ({ says }) => `No se puede leer. WhatsApp dice: ${says}`,

  'check.token': ({ expires }, { time }) =>
    expires === null
      ? 'El token de acceso es válido.'
      : `El token de acceso es válido hasta el ${time(expires)}.`,
  'check.token_lasting': () => 'El token de acceso es válido y no caduca.',
  'check.token_missing': () => 'La línea no tiene token de acceso. Introdúzcalo en Ajustes.',
  'check.token_refused': () => 'WhatsApp rechaza el token de acceso. Introduzca uno nuevo en Ajustes.',
  'check.token_expired': ({ at }, { time }) =>
    `El token de acceso caducó el ${time(at)}. Introduzca uno nuevo en Ajustes.`,
  'check.token_expires': ({ at, days }, { plural, time }) =>
    `El token de acceso caduca en ${plural(days, '# día', '# días')}, el ${time(at)}. Cree uno que no caduque, para un usuario del sistema.`,
  'check.token_lacks': ({ permissions }) =>
    `Al token de acceso le falta ${permissions.join(' y ')}. Cree uno con los dos permisos.`,
  'check.token_other_account': () =>
    'El token de acceso no puede usar esta cuenta de empresa. Asigne la cuenta a su usuario del sistema y cree un token nuevo.',
  'check.token_of_user': () =>
    'El token de acceso pertenece a una persona y deja de funcionar con su inicio de sesión. Use el token de un usuario del sistema.',
  'check.number': () => 'La cuenta de empresa tiene este número de teléfono.',
  'check.number_elsewhere': () =>
    'La cuenta de empresa no tiene este número de teléfono. Corrija los ID en Ajustes.',
  'check.registered': () => 'El número está registrado en la Cloud API.',
  'check.unregistered': () =>
    'El número no está registrado en la Cloud API y por eso no envía ni recibe. Regístrelo con su PIN.',
  'check.unverified': () =>
    'El número está registrado, pero no se ha verificado. Verifíquelo en WhatsApp Manager.',
  'check.name': ({ name }) =>
    name ? `El nombre visible «${name}» está aprobado.` : 'El nombre visible está aprobado.',
  'check.name_pending': () =>
    'WhatsApp está revisando el nombre visible. Hasta entonces, el envío es limitado.',
  'check.name_declined': () => 'WhatsApp no acepta el nombre visible. Elija otro en WhatsApp Manager.',
  'check.subscribed': () => 'La app recibe los eventos de la cuenta de empresa.',
  'check.unsubscribed': () =>
    'Ninguna app está suscrita a la cuenta de empresa, por eso no llegan mensajes ni estados.',
  'check.called': () => 'WhatsApp alcanza este gateway.',
  'check.uncalled': ({ canSet }) =>
    canSet
      ? 'WhatsApp aún no ha llamado a este gateway. Introduzca su URL de callback en su app o establézcala para este número. Esta última solo cubre mensajes y estados: los eventos de plantillas y de la cuenta necesitan el callback de la app.'
      : 'WhatsApp aún no ha llamado a este gateway. Defina GATEWAY_PUBLIC_URL e introduzca la URL de callback en su app.',
  'check.signed': () => 'El secreto de la app coincide: el último evento tenía la firma correcta.',
  'check.signed_wrong': ({ since }, { time }) =>
    `Los eventos se rechazan desde el ${time(since)}, porque el secreto de la app no coincide con su firma. Introduzca en Ajustes el de la app que los envía.`,
  'check.unsigned': () => 'Se comprueba con el primer evento.',
  'check.quality': ({ rating, limit, throughput }) =>
    `Calidad: ${RATINGS[rating]}. Límite de mensajes: ${limit || 'no informado'}. Rendimiento: ${throughput || 'no informado'}.`,
  'check.paid': () => 'La cuenta de empresa tiene un método de pago.',
  'check.unpaid': () =>
    'La cuenta de empresa no tiene método de pago. Desde octubre de 2026, WhatsApp no entrega entonces mensajes, ni siquiera respuestas. Añada uno en WhatsApp Manager.',
  'check.account': () => 'La cuenta de empresa está aprobada y la empresa está verificada.',
  'check.account_pending': ({ review }) => `WhatsApp está revisando la cuenta de empresa (${review}).`,
  'check.account_rejected': ({ review }) =>
    `WhatsApp no aprobó la cuenta de empresa (${review}). Solicite una revisión en la página de ayuda para empresas.`,
  'check.business_unverified': ({ verification }) =>
    `La cuenta de empresa está aprobada, pero la empresa no está verificada (${verification}). Verifíquela para tener límites más altos.`,
  'check.pin': () => 'La verificación en dos pasos está activada.',
  'check.pin_missing': () =>
    'La verificación en dos pasos está desactivada. Establezca un PIN, para que nadie más pueda registrar el número.',
  'check.destinations': ({ count }, { plural }) =>
    plural(count, '# destino recibe eventos.', '# destinos reciben eventos.'),
  'check.destinations_failing': ({ failing, count }, { number }) =>
    `${number(failing)} de ${number(count)} destinos están en pausa o no aceptan eventos.`,
  'check.destination_missing': () =>
    'La línea no tiene destino. Los eventos se guardan, pero no se reenvían.',
  'check.received': () => 'Ha llegado un mensaje de un teléfono.',
  'check.unreceived': ({ number }) =>
    `Escriba a ${number} desde su teléfono. Se pondrá en verde cuando llegue el mensaje.`,
  'check.clock': () => 'El reloj del gateway está bien.',
  'check.clock_wrong': ({ seconds, isAhead }, { duration }) =>
    `El reloj del gateway está ${duration(seconds * 1000)} ${isAhead ? 'adelantado' : 'atrasado'} respecto al de WhatsApp. Ajústelo por NTP.`,

  'pin.invalid': () => 'Un PIN tiene seis dígitos.',
  'code.invalid': () => 'Un código de verificación tiene seis dígitos.',
  'command.invalid': () => 'Escriba cada comando con nombre y descripción, como “menu: Ver el menú”.',
  'public_url.missing': () => 'Defina GATEWAY_PUBLIC_URL y reinicie el gateway.',
};
