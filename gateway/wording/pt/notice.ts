import { type NoticeWords } from '../facts';

export const notice: NoticeWords = {
  urgency: {
    critical: 'Urgente',
    warning: 'Atenção',
    info: 'Informação',
    recovered: 'Resolvido',
    test: 'Teste',
    escalated: 'Agora urgente',
    reminder: 'Ainda aberto',
  },
  since: (at) => `Desde ${at}.`,
  lasted: (length, until) => `Durou ${length}, até ${until}.`,
  waiting: (count, isMore, { number, plural }) =>
    isMore
      ? `${number(count)} ou mais entregas estão em espera.`
      : plural(count, '# entrega está em espera.', '# entregas estão em espera.'),
  noneWaiting: 'Por enquanto nenhuma entrega está em espera.',
  whatToDo: (action) => `O que fazer: ${action}`,
  andMore: (count) => `e mais ${count}`,
  stillOpen: (count) => `Mais ${count} ainda estão abertos.`,
  late: (title) => `Isto não pôde ser enviado a tempo: ${title}.`,
  openPanel: 'Abrir o painel de controle',
  foot: (gateway) =>
    `Enviado pelo Messaging Gateway${gateway ? ` em ${gateway}` : ''}. Escolha no painel de controle, em Alertas, o que é enviado e para onde.`,
};
