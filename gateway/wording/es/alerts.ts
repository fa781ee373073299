import { type Account, type AlertWords, type NamedToken, type Place } from '../facts';

export const placeIn = ({ line, lineId, address }: Place): string =>
  `${line ?? `Línea ${lineId}`}: ${address}`;

export const tokenIn = ({ line, name, lastFour }: NamedToken): string =>
  `${line}: token ${name ? `${name} ` : ''}…${lastFour}`;

const accountIn = ({ line, wabaId }: Account): string =>
  line === null ? `la cuenta de empresa ${wabaId}` : `la cuenta de empresa de ${line}`;

const movedIn = (isRegistered: boolean): string =>
  isRegistered
    ? ' ¿Cambió la dirección de n8n? Escriba la nueva dirección de este destino en el panel de control: los eventos en espera se envían allí. O anule la publicación del workflow y publíquelo de nuevo, lo que descarta los eventos en espera.'
    : '';

const deliveries = (count: number, isMore: boolean, number: (value: number) => string): string => {
  if (count === 1) return 'una entrega';
  return `${number(count)} ${isMore ? 'o más ' : ''}entregas`;
};

const RESTRICTED: Record<string, string> = {
  RESTRICTED: ' Agotó su límite y no inicia nuevas conversaciones hasta el día siguiente.',
  FLAGGED: ' Hay personas que lo bloquearon o denunciaron. Si no mejora en una semana, su límite baja.',
  RATE_LIMITED: ' Envía más rápido de lo que WhatsApp permite.',
};

const CATEGORIES: Record<string, string> = {
  AUTHENTICATION: 'Autenticación',
  MARKETING: 'Marketing',
  UTILITY: 'Utilidad',
};
const categoryIn = (word: string): string => CATEGORIES[word.toUpperCase()] ?? word;

const STOPPED: Record<string, { word: string; action: string }> = {
  REJECTED: {
    word: 'rechazada',
    action: 'Lea el motivo en WhatsApp Manager, corrija la plantilla y envíela de nuevo a revisión.',
  },
  PAUSED: {
    word: 'pausada',
    action:
      'Demasiadas personas la bloquearon o denunciaron. WhatsApp la reanuda después de unas horas. Cámbiela antes.',
  },
  DISABLED: {
    word: 'desactivada',
    action: 'Se pausó demasiadas veces. Cree otra plantilla en su lugar.',
  },
};

const people = (limit: number | null, number: (value: number) => string): string =>
  limit === null ? 'cualquier número de personas' : `${number(limit)} personas`;

const WITHOUT_ROLE = {
  api: 'Se rechazan los envíos y las demás solicitudes de programas.',
  inbound: 'Se rechazan los eventos de WhatsApp. WhatsApp los repite hasta por siete días.',
  deliver: 'Los eventos se guardan, pero no se entregan a sus destinos.',
  panel: 'No se puede abrir el panel de control.',
};

const UNREACHED = {
  self_signed: 'Su certificado es autofirmado.',
  expired: 'Su certificado venció.',
  not_yet_valid: 'Su certificado todavía no es válido.',
  unknown_issuer: 'El emisor de su certificado es desconocido.',
  other_host: 'Su certificado es de otro nombre de host.',
  dns: 'No se encontró su nombre de host.',
  refused: 'Rechaza las conexiones.',
  timeout: 'No respondió a tiempo.',
  broken: 'La conexión se cortó.',
};
const OF_CERTIFICATES = ['self_signed', 'expired', 'not_yet_valid', 'unknown_issuer', 'other_host'];

const SHORTAGES = {
  event_loop: 'tiene más solicitudes de las que puede responder a tiempo',
  backlog: 'su base de datos es más lenta que lo que llega',
  disk: 'su disco está casi lleno',
};

export const alerts: AlertWords = {
  destination_failing: {
    one: ({ place, last, isRegistered }, { say }) => ({
      title: `${placeIn(place)} no acepta eventos`,
      text:
        last === null ? '' : `Último intento: ${say({ word: 'attempt.failed', values: { failure: last } })}.`,
      over: `${placeIn(place)} vuelve a aceptar eventos`,
      action: `Repare el receptor y pulse Intentar ahora, o espere al próximo intento.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) =>
      plural(count, '# destino no acepta eventos', '# destinos no aceptan eventos'),
    manyOver: (count, { plural }) =>
      plural(count, '# destino vuelve a aceptar eventos', '# destinos vuelven a aceptar eventos'),
    rule: 'Un destino no acepta eventos desde hace N minutos.',
  },
  destination_paused: {
    one: ({ place, because, isRegistered }, { say }) => ({
      title: `${placeIn(place)} está en pausa`,
      text: say(because),
      over: `${placeIn(place)} ya no está en pausa`,
      action: `Si el receptor falló, repárelo y después reanude el destino. Los eventos en espera se envían.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) => plural(count, '# destino está en pausa', '# destinos están en pausa'),
    manyOver: (count, { plural }) =>
      plural(count, '# destino ya no está en pausa', '# destinos ya no están en pausa'),
    rule: 'Un destino está en pausa.',
  },
  deliveries_late: {
    one: ({ minutes }, { plural }) => ({
      title: 'Las entregas están atrasadas',
      text: `La más antigua lleva ${plural(minutes, '# minuto', '# minutos')} de atraso. Un receptor es más lento que la llegada de eventos.`,
      over: 'Las entregas vuelven a estar al día',
      action: 'Vea qué eventos están en espera y para qué receptor.',
    }),
    many: () => 'Las entregas están atrasadas',
    manyOver: () => 'Las entregas vuelven a estar al día',
    rule: 'Las entregas llevan N minutos de atraso.',
  },
  deliveries_ending: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${count === 1 ? 'se abandonará' : 'se abandonarán'} ${deliveries(count, isMore, number)}`,
      text: 'El receptor rechaza cada una desde hace días. Quedan uno o dos intentos.',
      over: `${placeIn(place)}: ninguna entrega está a punto de abandonarse`,
      action: 'Vea qué responde el receptor y corríjalo allí.',
    }),
    many: (count, { plural }) =>
      plural(count, '# destino va a perder eventos', '# destinos van a perder eventos'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# destino ya no está a punto de perder eventos',
        '# destinos ya no están a punto de perder eventos',
      ),
    rule: 'A una entrega le quedan uno o dos intentos antes de abandonarse.',
  },
  deliveries_given_up: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${count === 1 ? 'se abandonó' : 'se abandonaron'} ${deliveries(count, isMore, number)} en el último día`,
      text: 'Todos los intentos fallaron. Las entregas están guardadas y puede reenviarlas.',
      over: `${placeIn(place)}: las entregas abandonadas se reenviaron o ya tienen un día`,
      action: 'Busque la causa, corríjala en el receptor y reenvíelas.',
    }),
    many: (count, { plural }) =>
      plural(count, 'Se abandonaron entregas a # destino', 'Se abandonaron entregas a # destinos'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'Las entregas abandonadas de # destino se reenviaron o ya tienen un día',
        'Las entregas abandonadas de # destinos se reenviaron o ya tienen un día',
      ),
    rule: 'Una entrega se abandonó después del último intento.',
  },
  line_disconnected: {
    one: ({ name, status }) => ({
      title: `${name} no está conectada`,
      text:
        status === null
          ? 'WhatsApp no informa ningún estado de este número.'
          : `WhatsApp informa este número como ${status}.`,
      over: `${name} vuelve a estar conectada`,
      action: 'Revise el número en WhatsApp Manager.',
    }),
    many: (count, { plural }) => plural(count, '# línea no está conectada', '# líneas no están conectadas'),
    manyOver: (count, { plural }) =>
      plural(count, '# línea vuelve a estar conectada', '# líneas vuelven a estar conectadas'),
    rule: 'Una línea ya no está conectada.',
  },
  line_restricted: {
    one: (values, { say }) => {
      if ('name' in values)
        return {
          title: `${values.name} está restringida`,
          text: `WhatsApp informa este número como ${values.status}.${RESTRICTED[values.status.toUpperCase()] ?? ''}`,
          over: `${values.name} ya no está restringida`,
          action: 'Hasta que termine la restricción, escriba solo a quien espera sus mensajes.',
        };
      const { account, warning } = values;
      return {
        title: `WhatsApp restringió ${accountIn(account)}`,
        text: say(warning),
        over: `WhatsApp ya no informa una restricción de ${accountIn(account)}`,
        action: 'Lea el motivo en WhatsApp Manager y pida allí una revisión.',
      };
    },
    many: (count, { plural }) => plural(count, '# línea está restringida', '# líneas están restringidas'),
    manyOver: (count, { plural }) =>
      plural(count, '# línea ya no está restringida', '# líneas ya no están restringidas'),
    rule: 'WhatsApp restringe una línea o su cuenta.',
  },
  line_quality: {
    one: ({ name, isLow }) => ({
      title: isLow ? `La calidad de ${name} es baja` : `La calidad de ${name} bajó a media`,
      text: isLow
        ? 'Demasiadas personas la bloquearon o denunciaron, por eso el gateway no envía por ella.'
        : 'Hay personas que la bloquearon o denunciaron. Si la calidad llega a ser baja, el gateway deja de enviar por ella.',
      over: `${name} vuelve a su calificación de antes`,
      action: 'Hasta que la calificación se recupere, escriba solo a quien espera sus mensajes.',
    }),
    many: (count, { plural }) => plural(count, 'La calidad de # línea bajó', 'La calidad de # líneas bajó'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# línea vuelve a su calificación de antes',
        '# líneas vuelven a su calificación de antes',
      ),
    rule: 'La calificación de calidad de una línea es baja o bajó.',
  },
  line_limit: {
    one: ({ name, limit, before }, { number }) => ({
      title: `${name} puede escribir a menos personas`,
      text: `WhatsApp le permite iniciar conversaciones con ${people(limit, number)} al día. Antes eran ${people(before, number)}.`,
      over: `${name} recuperó su límite de mensajes`,
      action: 'Envíe menos, y solo a quien espera sus mensajes. La buena calidad vuelve a subir el límite.',
    }),
    many: (count, { plural }) =>
      plural(count, '# línea puede escribir a menos personas', '# líneas pueden escribir a menos personas'),
    manyOver: (count, { plural }) =>
      plural(count, '# línea recuperó su límite', '# líneas recuperaron su límite'),
    rule: 'El límite de mensajes de una línea bajó.',
  },
  line_credentials: {
    one: ({ name, isMissing, because }) => ({
      title: isMissing
        ? `${name} no tiene token de acceso`
        : `WhatsApp rechaza el token de acceso de ${name}`,
      text: `No se puede enviar nada por ella.${because === null ? '' : ` WhatsApp dice: ${because.replace(/[.\s]*$/, '.')}`}`,
      over: `${name} tiene un token de acceso que funciona`,
      action: isMissing
        ? 'Escriba el token de acceso de la plataforma.'
        : 'Cree otro token de acceso en la plataforma y escríbalo.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# línea necesita un nuevo token de acceso',
        '# líneas necesitan un nuevo token de acceso',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# línea tiene un token de acceso que funciona',
        '# líneas tienen tokens de acceso que funcionan',
      ),
    rule: 'Una línea no tiene token de acceso, o WhatsApp lo rechaza.',
  },
  line_setup: {
    one: ({ name, failed }, { say }) => ({
      title: `${name} no está configurada en WhatsApp`,
      text: failed.map(say).join(' '),
      over: `${name} está configurada en WhatsApp`,
      action: 'Las comprobaciones de la configuración tienen un botón o un enlace para cada reparación.',
    }),
    many: (count, { plural }) =>
      plural(count, '# línea no está configurada en WhatsApp', '# líneas no están configuradas en WhatsApp'),
    manyOver: (count, { plural }) =>
      plural(count, '# línea está configurada en WhatsApp', '# líneas están configuradas en WhatsApp'),
    rule: 'Desde hace N minutos, el número no está registrado, ninguna app está suscrita o la cuenta no tiene método de pago.',
  },
  access_token_expiring: {
    one: ({ name, days }, { plural }) => ({
      title:
        days === null
          ? `El token de acceso de ${name} ha caducado`
          : `El token de acceso de ${name} caduca en ${plural(days, '# día', '# días')}`,
      text: 'Con un token de acceso caducado no se puede enviar ni recibir nada.',
      over: `El token de acceso de ${name} ya no caduca pronto`,
      action: 'Cree en la plataforma un token que no caduque, para un usuario del sistema, e introdúzcalo.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        'El token de acceso de # línea caduca pronto',
        'Los tokens de acceso de # líneas caducan pronto',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'El token de acceso de # línea ya no caduca pronto',
        'Los tokens de acceso de # líneas ya no caducan pronto',
      ),
    rule: 'El token de acceso de una línea caduca en 60 días. Se envía de nuevo a los 14 y a los 3 días.',
  },
  template_stopped: {
    one: ({ template, account, state }) => {
      const { word, action } = STOPPED[state] ?? { word: state.toLowerCase(), action: '' };
      const name = `La plantilla ${template} de ${account.line ?? `la cuenta de empresa ${account.wabaId}`}`;
      return {
        title: `${name} fue ${word}`,
        text: 'WhatsApp ya no la envía.',
        over: `${name} ya no está ${word}`,
        action,
      };
    },
    many: (count, { plural }) =>
      plural(count, '# plantilla no se puede enviar', '# plantillas no se pueden enviar'),
    manyOver: (count, { plural }) =>
      plural(count, '# plantilla se puede enviar de nuevo', '# plantillas se pueden enviar de nuevo'),
    rule: 'Una plantilla fue rechazada, pausada o desactivada.',
  },
  template_category: {
    one: ({ template, account, before, category }) => {
      const [from, to] = [categoryIn(before), categoryIn(category)];
      const name = `de la plantilla ${template} de ${account.line ?? `la cuenta de empresa ${account.wabaId}`}`;
      return {
        title: `WhatsApp cambió la categoría ${name} de ${from} a ${to}`,
        text: `Sus mensajes tienen el precio y los límites de ${to}.`,
        over: `La categoría ${name} ya no requiere atención`,
        action: 'Revise el texto o pida una revisión de la categoría en WhatsApp Manager.',
      };
    },
    many: (count, { plural }) =>
      plural(
        count,
        'WhatsApp cambió la categoría de # plantilla',
        'WhatsApp cambió la categoría de # plantillas',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'La categoría de # plantilla ya no es nueva',
        'Las categorías de # plantillas ya no son nuevas',
      ),
    rule: 'WhatsApp cambió la categoría de una plantilla.',
  },
  token_expiring: {
    one: ({ token, days }, { plural }) => ({
      title:
        days === null
          ? `${tokenIn(token)} venció`
          : `${tokenIn(token)} vence en ${days <= 1 ? 'un día' : plural(days, '# día', '# días')}`,
      text:
        days === null
          ? 'Las solicitudes con él se rechazan.'
          : 'A partir de entonces, las solicitudes con él se rechazan.',
      over: `${tokenIn(token)} fue reemplazado o eliminado`,
      action: 'Renuévelo y dé el nuevo token al programa que lo usa. Si ninguno lo usa, revóquelo.',
    }),
    many: (count, { plural }) =>
      plural(count, '# token está a punto de vencer', '# tokens están a punto de vencer'),
    manyOver: (count, { plural }) =>
      plural(count, '# token fue reemplazado o eliminado', '# tokens fueron reemplazados o eliminados'),
    rule: 'Un token sin reemplazo vence en N días o menos, o ya venció.',
  },
  token_unused: {
    one: ({ token, wasUsed }) => ({
      title: `${tokenIn(token)} no se usa`,
      text: wasUsed ? 'Hace mucho tiempo que no se usa.' : 'Nunca se usó.',
      over: `${tokenIn(token)} se usa de nuevo o fue eliminado`,
      action: 'Revóquelo si ningún programa lo necesita: quien lo encuentre puede enviar.',
    }),
    many: (count, { plural }) => plural(count, '# token no se usa', '# tokens no se usan'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# token se usa de nuevo o fue eliminado',
        '# tokens se usan de nuevo o fueron eliminados',
      ),
    rule: 'Un token no se usa desde hace N días.',
  },
  budget_used: {
    one: ({ customer, budget, spent, currency, unpriced, isReached, isHeld }, { number, plural }) => ({
      title: isReached
        ? `${customer} agotó el presupuesto de este mes`
        : `${customer} usó el 80 % del presupuesto de este mes`,
      text: [
        `Estimación: ${number(spent)} de ${number(budget)} ${currency}.`,
        unpriced &&
          plural(
            unpriced,
            `# mensaje no tiene precio en ${currency}.`,
            `# mensajes no tienen precio en ${currency}.`,
          ),
        isHeld && 'Las plantillas de marketing se rechazan.',
      ]
        .filter(Boolean)
        .join(' '),
      over: `${customer} vuelve a estar por debajo del 80 % del presupuesto`,
      action: isHeld
        ? 'Aumente el presupuesto para volver a enviar plantillas de marketing, o espere al próximo mes.'
        : 'Aumente el presupuesto o acuerde con el cliente qué más se envía este mes.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# cliente usó la mayor parte del presupuesto de este mes',
        '# clientes usaron la mayor parte del presupuesto de este mes',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# cliente vuelve a estar por debajo del 80 % del presupuesto',
        '# clientes vuelven a estar por debajo del 80 % del presupuesto',
      ),
    rule: 'Un cliente usó el 80 % del presupuesto del mes, o todo.',
  },
  disk_short: {
    one: ({ megabytes }, { number }) => ({
      title: `Al disco de la base de datos le quedan ${number(megabytes)} MB`,
      text: 'Por debajo de 128 MB el gateway rechaza mensajes y eventos nuevos, para no perder nada de lo que aceptó.',
      over: 'El disco de la base de datos vuelve a tener espacio',
      action: 'Libere espacio, amplíe el disco o guarde los eventos menos tiempo (GATEWAY_KEEP_BODIES).',
    }),
    many: () => 'El disco está casi lleno',
    manyOver: () => 'El disco vuelve a tener espacio',
    rule: 'Quedan menos de N MB en el disco de la base de datos.',
  },
  memory_short: {
    one: ({ process, percent }, { number }) => ({
      title: `${process} tiene poca memoria`,
      text: `Queda el ${number(percent)} % de la memoria que puede usar.`,
      over: `${process} vuelve a tener memoria`,
      action: 'Dé más memoria a la máquina o al contenedor, o termine otros programas que la usan.',
    }),
    many: (count, { plural }) =>
      plural(count, '# proceso tiene poca memoria', '# procesos tienen poca memoria'),
    manyOver: (count, { plural }) =>
      plural(count, '# proceso vuelve a tener memoria', '# procesos vuelven a tener memoria'),
    rule: 'A un proceso le queda menos de una décima parte de su memoria.',
  },
  overloaded: {
    one: ({ process, causes }) => ({
      title: `${process} rechaza solicitudes`,
      text: causes.length ? `Motivo: ${causes.map((cause) => SHORTAGES[cause]).join(', y ')}.` : '',
      over: `${process} vuelve a aceptar solicitudes`,
      action: 'Vea de dónde vienen las solicitudes. Agregue un proceso o use un disco más rápido.',
    }),
    many: (count, { plural }) =>
      plural(count, '# proceso rechaza solicitudes', '# procesos rechazan solicitudes'),
    manyOver: (count, { plural }) =>
      plural(count, '# proceso vuelve a aceptar solicitudes', '# procesos vuelven a aceptar solicitudes'),
    rule: 'Un proceso está sobrecargado y rechaza solicitudes.',
  },
  database_away: {
    one: ({ process }) => ({
      title: 'La base de datos no responde',
      text: `${process} no puede usarla y rechaza todo lo que tendría que guardar.`,
      over: 'La base de datos vuelve a responder',
      action:
        'Revise que la base de datos esté en ejecución, tenga espacio y sea accesible desde esta máquina.',
    }),
    many: () => 'La base de datos no responde',
    manyOver: () => 'La base de datos vuelve a responder',
    rule: 'La base de datos no responde desde hace N minutos.',
  },
  platform_away: {
    one: ({ process, because }) => ({
      title: `${process} no puede acceder a WhatsApp`,
      text: `${UNREACHED[because]} No se envía ningún mensaje hasta que responda.`,
      over: `${process} vuelve a acceder a WhatsApp`,
      action: OF_CERTIFICATES.includes(because)
        ? 'Revise GATEWAY_UPSTREAM_URL. Si un proxy suyo abre la conexión, indique su certificado en NODE_EXTRA_CA_CERTS.'
        : 'Revise la red de la máquina, su servidor de nombres y GATEWAY_UPSTREAM_URL.',
    }),
    many: (count, { plural }) =>
      plural(count, '# proceso no puede acceder a WhatsApp', '# procesos no pueden acceder a WhatsApp'),
    manyOver: (count, { plural }) =>
      plural(count, '# proceso vuelve a acceder a WhatsApp', '# procesos vuelven a acceder a WhatsApp'),
    rule: 'WhatsApp no respondió a N llamadas seguidas.',
  },
  process_gone: {
    one: ({ process }) => ({
      title: `El proceso ${process} desapareció`,
      text: 'No se detuvo y ningún otro proceso lo reemplazó. Los procesos con las mismas tareas hacen su trabajo.',
      over: `El proceso ${process} volvió o fue reemplazado`,
      action: 'Lea en su registro por qué terminó e inícielo de nuevo.',
    }),
    many: (count, { plural }) => plural(count, '# proceso desapareció', '# procesos desaparecieron'),
    manyOver: (count, { plural }) =>
      plural(count, '# proceso volvió o fue reemplazado', '# procesos volvieron o fueron reemplazados'),
    rule: 'Un proceso desapareció hace N minutos sin haberse detenido.',
  },
  role_missing: {
    one: ({ role }) => ({
      title: `Ningún proceso tiene la tarea ${role}`,
      text: WITHOUT_ROLE[role],
      over: `Un proceso vuelve a tener la tarea ${role}`,
      action: `Inicie un proceso cuyo GATEWAY_ROLES incluya ${role}, o sin GATEWAY_ROLES.`,
    }),
    many: (count, { plural }) => plural(count, '# tarea no tiene proceso', '# tareas no tienen proceso'),
    manyOver: (count, { plural }) =>
      plural(count, '# tarea vuelve a tener un proceso', '# tareas vuelven a tener un proceso'),
    rule: 'Una tarea de GATEWAY_ROLES no tiene proceso desde hace N minutos.',
  },
  clocks_apart: {
    one: ({ process, seconds, isAhead, of }, { plural }) => ({
      title: `El reloj de ${process} está mal`,
      text: `Está ${plural(seconds, '# segundo', '# segundos')} ${isAhead ? 'adelantado' : 'atrasado'} respecto al reloj ${of === 'database' ? 'de la base de datos' : 'de WhatsApp'}. Las firmas y los plazos dependen de él.`,
      over: `El reloj de ${process} vuelve a estar bien`,
      action: 'Haga que la máquina use un servidor de hora (NTP).',
    }),
    many: (count, { plural }) => plural(count, '# reloj está mal', '# relojes están mal'),
    manyOver: (count, { plural }) =>
      plural(count, '# reloj vuelve a estar bien', '# relojes vuelven a estar bien'),
    rule: 'El reloj de una máquina tiene más de N segundos de diferencia.',
  },
  backup_failed: {
    one: ({ failure }) => ({
      title: 'La copia de seguridad diaria falló',
      text: failure,
      over: 'La copia de seguridad diaria vuelve a funcionar',
      action: 'Lea el motivo en el registro. La copia se intenta de nuevo cada hora.',
    }),
    many: () => 'La copia de seguridad diaria falló',
    manyOver: () => 'La copia de seguridad diaria vuelve a funcionar',
    rule: 'La copia de seguridad diaria falló.',
  },
  channel_failing: {
    one: ({ channel, failure }, { say }) => ({
      title: `Las alertas no llegan al canal ${channel}`,
      text: say(failure),
      over: `Las alertas vuelven a llegar al canal ${channel}`,
      action: 'Corrija su configuración y envíe una alerta de prueba.',
    }),
    many: (count, { plural }) =>
      plural(count, 'Las alertas no llegan a # canal', 'Las alertas no llegan a # canales'),
    manyOver: (count, { plural }) =>
      plural(count, 'Las alertas vuelven a llegar a # canal', 'Las alertas vuelven a llegar a # canales'),
    rule: 'Las alertas no llegan a uno de los canales.',
  },
  log_in_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# inicio de sesión en el panel de control falló en 10 minutos',
        '# inicios de sesión en el panel de control fallaron en 10 minutos',
      ),
      text: 'Alguien puede estar adivinando contraseñas. Después de unas erróneas, una cuenta rechaza más intentos desde la misma dirección.',
      over: 'Los inicios de sesión fallidos vuelven a ser raros',
      action: 'Busque la dirección en la auditoría y bloquee su acceso al panel.',
    }),
    many: () => 'Muchos inicios de sesión fallan',
    manyOver: () => 'Los inicios de sesión fallidos vuelven a ser raros',
    rule: 'Más de N inicios de sesión en el panel de control fallan en 10 minutos.',
  },
  signature_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        'Llegó # notificación con firma errónea en 10 minutos',
        'Llegaron # notificaciones con firma errónea en 10 minutos',
      ),
      text: 'Se rechazaron. Alguien envía en nombre de WhatsApp. O el secreto de la app está mal, y entonces no se acepta ningún evento de WhatsApp.',
      over: 'Las firmas vuelven a ser correctas',
      action:
        'Compare el secreto de la app con el de la plataforma. Si es correcto, bloquee en el callback la dirección que está en el registro.',
    }),
    many: () => 'Llegan notificaciones con firmas erróneas',
    manyOver: () => 'Las firmas vuelven a ser correctas',
    rule: 'Más de N notificaciones con firma errónea llegan en 10 minutos.',
  },
  token_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        'Llegó # solicitud con un token erróneo en 10 minutos',
        'Llegaron # solicitudes con un token erróneo en 10 minutos',
      ),
      text: 'Se rechazaron. Alguien adivina tokens, o un programa usa un token revocado.',
      over: 'Los tokens erróneos vuelven a ser raros',
      action: 'Busque la dirección en el registro. Dé a ese programa su nuevo token o bloquee la dirección.',
    }),
    many: () => 'Llegan muchas solicitudes con tokens erróneos',
    manyOver: () => 'Los tokens erróneos vuelven a ser raros',
    rule: 'Más de N solicitudes con un token erróneo llegan en 10 minutos.',
  },

  owner_password: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# propietario inició sesión con contraseña',
        '# inicios de sesión de propietarios con contraseña',
      ),
      text: 'Los demás usuarios inician sesión con un proveedor. Los propietarios usan la contraseña solo si el proveedor falla.',
      over: 'Ningún otro propietario inició sesión con contraseña',
      action: 'Compruebe en la auditoría que fue un propietario y que había un motivo.',
    }),
    many: () => 'Propietarios inician sesión con contraseña',
    manyOver: () => 'Ningún otro propietario inició sesión con contraseña',
    rule: 'Un propietario inicia sesión con contraseña, aunque las contraseñas son para emergencias.',
  },
};
