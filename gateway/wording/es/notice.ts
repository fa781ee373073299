import { type NoticeWords } from '../facts';

export const notice: NoticeWords = {
  urgency: {
    critical: 'Urgente',
    warning: 'Atención',
    info: 'Información',
    recovered: 'Resuelto',
    test: 'Prueba',
    escalated: 'Ahora urgente',
    reminder: 'Sigue abierto',
  },
  since: (at) => `Desde ${at}.`,
  lasted: (length, until) => `Duró ${length}, hasta ${until}.`,
  waiting: (count, isMore, { number, plural }) =>
    isMore
      ? `${number(count)} o más entregas están en espera.`
      : plural(count, '# entrega está en espera.', '# entregas están en espera.'),
  noneWaiting: 'Por ahora ninguna entrega está en espera.',
  whatToDo: (action) => `Qué hacer: ${action}`,
  andMore: (count) => `y ${count} más`,
  stillOpen: (count) => `Otros ${count} siguen abiertos.`,
  late: (title) => `Esto no se pudo enviar a tiempo: ${title}.`,
  openPanel: 'Abrir el panel de control',
  foot: (gateway) =>
    `Enviado por Messaging Gateway${gateway ? ` en ${gateway}` : ''}. Elija en su panel de control, en Alertas, qué se envía y adónde.`,
};
