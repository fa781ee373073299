import { type Account, type AlertWords, type NamedToken, type Place } from '../facts';

export const placeIn = ({ line, lineId, address }: Place): string =>
  `${line ?? `Linha ${lineId}`}: ${address}`;

export const tokenIn = ({ line, name, lastFour }: NamedToken): string =>
  `${line}: token ${name ? `${name} ` : ''}…${lastFour}`;

const accountIn = ({ line, wabaId }: Account): string =>
  line === null ? `a conta comercial ${wabaId}` : `a conta comercial de ${line}`;

const movedIn = (isRegistered: boolean): string =>
  isRegistered
    ? ' O endereço do n8n mudou? Informe o novo endereço deste destino no painel de controle: os eventos em espera são enviados para lá. Ou cancele a publicação do workflow e publique-o de novo, o que descarta os eventos em espera.'
    : '';

const deliveries = (count: number, isMore: boolean, number: (value: number) => string): string => {
  if (count === 1) return 'uma entrega';
  return `${number(count)} ${isMore ? 'ou mais ' : ''}entregas`;
};

const RESTRICTED: Record<string, string> = {
  RESTRICTED: ' Ele esgotou o limite e não inicia novas conversas até o dia seguinte.',
  FLAGGED: ' Pessoas o bloquearam ou denunciaram. Se isso não melhorar em uma semana, o limite dele diminui.',
  RATE_LIMITED: ' Ele está enviando mais rápido do que o WhatsApp permite.',
};

const CATEGORIES: Record<string, string> = {
  AUTHENTICATION: 'Autenticação',
  MARKETING: 'Marketing',
  UTILITY: 'Utilidade',
};
const categoryIn = (word: string): string => CATEGORIES[word.toUpperCase()] ?? word;

const STOPPED: Record<string, { word: string; action: string }> = {
  REJECTED: {
    word: 'rejeitado',
    action: 'Leia o motivo no WhatsApp Manager, corrija o modelo e envie-o de novo para análise.',
  },
  PAUSED: {
    word: 'pausado',
    action:
      'Pessoas demais o bloquearam ou denunciaram. O WhatsApp o retoma depois de algumas horas. Altere-o antes disso.',
  },
  DISABLED: { word: 'desativado', action: 'Ele foi pausado vezes demais. Crie outro modelo no lugar dele.' },
};

const people = (limit: number | null, number: (value: number) => string): string =>
  limit === null ? 'qualquer número de pessoas' : `${number(limit)} pessoas`;

const WITHOUT_ROLE = {
  api: 'Envios e todas as outras requisições de programas são recusados.',
  inbound: 'Os eventos do WhatsApp são recusados. O WhatsApp os repete por até sete dias.',
  deliver: 'Os eventos são armazenados, mas não são entregues aos destinos.',
  panel: 'Não é possível abrir o painel de controle.',
};

const UNREACHED = {
  self_signed: 'O certificado dele é autoassinado.',
  expired: 'O certificado dele expirou.',
  not_yet_valid: 'O certificado dele ainda não é válido.',
  unknown_issuer: 'O emissor do certificado dele é desconhecido.',
  other_host: 'O certificado dele é de outro nome de host.',
  dns: 'O nome do host não foi encontrado.',
  refused: 'Ele recusa conexões.',
  timeout: 'Ele não respondeu a tempo.',
  broken: 'A conexão caiu.',
};
const OF_CERTIFICATES = ['self_signed', 'expired', 'not_yet_valid', 'unknown_issuer', 'other_host'];

const SHORTAGES = {
  event_loop: 'ele tem mais requisições do que consegue responder a tempo',
  backlog: 'o banco de dados é mais lento do que o que chega',
  disk: 'o disco está quase cheio',
};

export const alerts: AlertWords = {
  destination_failing: {
    one: ({ place, last, isRegistered }, { say }) => ({
      title: `${placeIn(place)} não está aceitando eventos`,
      text:
        last === null
          ? ''
          : `Última tentativa: ${say({ word: 'attempt.failed', values: { failure: last } })}.`,
      over: `${placeIn(place)} voltou a aceitar eventos`,
      action: `Corrija o receptor e clique em Tentar agora, ou espere a próxima tentativa.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) =>
      plural(count, '# destino não está aceitando eventos', '# destinos não estão aceitando eventos'),
    manyOver: (count, { plural }) =>
      plural(count, '# destino voltou a aceitar eventos', '# destinos voltaram a aceitar eventos'),
    rule: 'Um destino não aceita eventos há N minutos.',
  },
  destination_paused: {
    one: ({ place, because, isRegistered }, { say }) => ({
      title: `${placeIn(place)} está em pausa`,
      text: say(because),
      over: `${placeIn(place)} não está mais em pausa`,
      action: `Se o receptor falhou, corrija-o e depois retome o destino. Os eventos em espera são enviados.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) => plural(count, '# destino está em pausa', '# destinos estão em pausa'),
    manyOver: (count, { plural }) =>
      plural(count, '# destino não está mais em pausa', '# destinos não estão mais em pausa'),
    rule: 'Um destino está em pausa.',
  },
  deliveries_late: {
    one: ({ minutes }, { plural }) => ({
      title: 'As entregas estão atrasadas',
      text: `A mais antiga está atrasada há ${plural(minutes, '# minuto', '# minutos')}. Um receptor é mais lento do que a chegada de eventos.`,
      over: 'As entregas voltaram ao horário',
      action: 'Veja quais eventos estão em espera e para qual receptor.',
    }),
    many: () => 'As entregas estão atrasadas',
    manyOver: () => 'As entregas voltaram ao horário',
    rule: 'As entregas estão N minutos atrasadas.',
  },
  deliveries_ending: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${deliveries(count, isMore, number)} ${count === 1 ? 'será abandonada' : 'serão abandonadas'}`,
      text: 'O receptor recusa cada uma há dias. Restam uma ou duas tentativas.',
      over: `${placeIn(place)}: nenhuma entrega está prestes a ser abandonada`,
      action: 'Veja o que o receptor responde e corrija lá.',
    }),
    many: (count, { plural }) =>
      plural(count, '# destino vai perder eventos', '# destinos vão perder eventos'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# destino não está mais prestes a perder eventos',
        '# destinos não estão mais prestes a perder eventos',
      ),
    rule: 'Uma entrega tem uma ou duas tentativas antes de ser abandonada.',
  },
  deliveries_given_up: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${deliveries(count, isMore, number)} ${count === 1 ? 'foi abandonada' : 'foram abandonadas'} no último dia`,
      text: 'Todas as tentativas falharam. As entregas estão guardadas e você pode reenviá-las.',
      over: `${placeIn(place)}: as entregas abandonadas foram reenviadas ou já têm um dia`,
      action: 'Encontre a causa, corrija no receptor e reenvie.',
    }),
    many: (count, { plural }) =>
      plural(count, 'Entregas a # destino foram abandonadas', 'Entregas a # destinos foram abandonadas'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'As entregas abandonadas de # destino foram reenviadas ou já têm um dia',
        'As entregas abandonadas de # destinos foram reenviadas ou já têm um dia',
      ),
    rule: 'Uma entrega foi abandonada depois da última tentativa.',
  },
  line_disconnected: {
    one: ({ name, status }) => ({
      title: `${name} não está conectada`,
      text:
        status === null
          ? 'O WhatsApp não informa o status deste número.'
          : `O WhatsApp informa este número como ${status}.`,
      over: `${name} voltou a se conectar`,
      action: 'Confira o número no WhatsApp Manager.',
    }),
    many: (count, { plural }) => plural(count, '# linha não está conectada', '# linhas não estão conectadas'),
    manyOver: (count, { plural }) =>
      plural(count, '# linha voltou a se conectar', '# linhas voltaram a se conectar'),
    rule: 'Uma linha não está mais conectada.',
  },
  line_restricted: {
    one: (values, { say }) => {
      if ('name' in values)
        return {
          title: `${values.name} está restrita`,
          text: `O WhatsApp informa este número como ${values.status}.${RESTRICTED[values.status.toUpperCase()] ?? ''}`,
          over: `${values.name} não está mais restrita`,
          action: 'Até a restrição acabar, escreva só a quem espera suas mensagens.',
        };
      const { account, warning } = values;
      return {
        title: `O WhatsApp restringiu ${accountIn(account)}`,
        text: say(warning),
        over: `O WhatsApp não informa mais uma restrição de ${accountIn(account)}`,
        action: 'Leia o motivo no WhatsApp Manager e peça uma revisão lá.',
      };
    },
    many: (count, { plural }) => plural(count, '# linha está restrita', '# linhas estão restritas'),
    manyOver: (count, { plural }) =>
      plural(count, '# linha não está mais restrita', '# linhas não estão mais restritas'),
    rule: 'O WhatsApp restringe uma linha ou a conta dela.',
  },
  line_quality: {
    one: ({ name, isLow }) => ({
      title: isLow ? `A qualidade de ${name} está baixa` : `A qualidade de ${name} caiu para média`,
      text: isLow
        ? 'Pessoas demais a bloquearam ou denunciaram, por isso o gateway não envia por ela.'
        : 'Pessoas a bloquearam ou denunciaram. Se a qualidade ficar baixa, o gateway deixa de enviar por ela.',
      over: `${name} voltou à avaliação de antes`,
      action: 'Até a avaliação se recuperar, escreva só a quem espera suas mensagens.',
    }),
    many: (count, { plural }) => plural(count, 'A qualidade de # linha caiu', 'A qualidade de # linhas caiu'),
    manyOver: (count, { plural }) =>
      plural(count, '# linha voltou à avaliação de antes', '# linhas voltaram à avaliação de antes'),
    rule: 'A avaliação de qualidade de uma linha está baixa ou caiu.',
  },
  line_limit: {
    one: ({ name, limit, before }, { number }) => ({
      title: `${name} pode escrever a menos pessoas`,
      text: `O WhatsApp deixa iniciar conversas com ${people(limit, number)} por dia. Antes eram ${people(before, number)}.`,
      over: `${name} recuperou o limite de mensagens`,
      action: 'Envie menos, e só a quem espera suas mensagens. A boa qualidade aumenta o limite de novo.',
    }),
    many: (count, { plural }) =>
      plural(count, '# linha pode escrever a menos pessoas', '# linhas podem escrever a menos pessoas'),
    manyOver: (count, { plural }) =>
      plural(count, '# linha recuperou o limite', '# linhas recuperaram o limite'),
    rule: 'O limite de mensagens de uma linha diminuiu.',
  },
  line_credentials: {
    one: ({ name, isMissing, because }) => ({
      title: isMissing ? `${name} não tem token de acesso` : `O WhatsApp recusa o token de acesso de ${name}`,
      text: `Nada pode ser enviado por ela.${because === null ? '' : ` O WhatsApp diz: ${because.replace(/[.\s]*$/, '.')}`}`,
      over: `${name} tem um token de acesso que funciona`,
      action: isMissing
        ? 'Informe o token de acesso da plataforma.'
        : 'Crie outro token de acesso na plataforma e informe-o.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# linha precisa de um novo token de acesso',
        '# linhas precisam de um novo token de acesso',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# linha tem um token de acesso que funciona',
        '# linhas têm tokens de acesso que funcionam',
      ),
    rule: 'Uma linha não tem token de acesso, ou o WhatsApp o recusa.',
  },
  line_setup: {
    one: ({ name, failed }, { say }) => ({
      title: `${name} não está configurada no WhatsApp`,
      text: failed.map(say).join(' '),
      over: `${name} está configurada no WhatsApp`,
      action: 'As verificações da configuração têm um botão ou um link para cada reparo.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# linha não está configurada no WhatsApp',
        '# linhas não estão configuradas no WhatsApp',
      ),
    manyOver: (count, { plural }) =>
      plural(count, '# linha está configurada no WhatsApp', '# linhas estão configuradas no WhatsApp'),
    rule: 'Há N minutos, o número não está registrado, nenhum app está inscrito ou a conta não tem forma de pagamento.',
  },
  access_token_expiring: {
    one: ({ name, days }, { plural }) => ({
      title:
        days === null
          ? `O token de acesso de ${name} expirou`
          : `O token de acesso de ${name} expira em ${plural(days, '# dia', '# dias')}`,
      text: 'Com um token de acesso expirado, nada pode ser enviado nem recebido.',
      over: `O token de acesso de ${name} não expira mais em breve`,
      action: 'Crie na plataforma um token que não expire, para um usuário do sistema, e informe-o.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        'O token de acesso de # linha expira em breve',
        'Os tokens de acesso de # linhas expiram em breve',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'O token de acesso de # linha não expira mais em breve',
        'Os tokens de acesso de # linhas não expiram mais em breve',
      ),
    rule: 'O token de acesso de uma linha expira em 60 dias. Enviado de novo aos 14 e aos 3 dias.',
  },
  template_stopped: {
    one: ({ template, account, state }) => {
      const { word, action } = STOPPED[state] ?? { word: state.toLowerCase(), action: '' };
      const name = `O modelo ${template} de ${account.line ?? `conta comercial ${account.wabaId}`}`;
      return {
        title: `${name} foi ${word}`,
        text: 'O WhatsApp não o envia mais.',
        over: `${name} não está mais ${word}`,
        action,
      };
    },
    many: (count, { plural }) =>
      plural(count, '# modelo não pode ser enviado', '# modelos não podem ser enviados'),
    manyOver: (count, { plural }) =>
      plural(count, '# modelo voltou a poder ser enviado', '# modelos voltaram a poder ser enviados'),
    rule: 'Um modelo foi rejeitado, pausado ou desativado.',
  },
  template_category: {
    one: ({ template, account, before, category }) => {
      const [from, to] = [categoryIn(before), categoryIn(category)];
      const name = `do modelo ${template} de ${account.line ?? `conta comercial ${account.wabaId}`}`;
      return {
        title: `O WhatsApp mudou a categoria ${name} de ${from} para ${to}`,
        text: `As mensagens dele têm o preço e os limites de ${to}.`,
        over: `A categoria ${name} não precisa mais de atenção`,
        action: 'Confira o texto ou peça uma análise da categoria no WhatsApp Manager.',
      };
    },
    many: (count, { plural }) =>
      plural(count, 'O WhatsApp mudou a categoria de # modelo', 'O WhatsApp mudou a categoria de # modelos'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'A categoria de # modelo não é mais nova',
        'As categorias de # modelos não são mais novas',
      ),
    rule: 'O WhatsApp mudou a categoria de um modelo.',
  },
  token_expiring: {
    one: ({ token, days }, { plural }) => ({
      title:
        days === null
          ? `${tokenIn(token)} expirou`
          : `${tokenIn(token)} expira em ${days <= 1 ? 'um dia' : plural(days, '# dia', '# dias')}`,
      text:
        days === null
          ? 'As requisições com ele são recusadas.'
          : 'A partir daí, as requisições com ele são recusadas.',
      over: `${tokenIn(token)} foi substituído ou removido`,
      action: 'Renove-o e informe o novo token ao programa que o usa. Se nenhum o usa, revogue-o.',
    }),
    many: (count, { plural }) =>
      plural(count, '# token está prestes a expirar', '# tokens estão prestes a expirar'),
    manyOver: (count, { plural }) =>
      plural(count, '# token foi substituído ou removido', '# tokens foram substituídos ou removidos'),
    rule: 'Um token sem substituto expira em até N dias ou já expirou.',
  },
  token_unused: {
    one: ({ token, wasUsed }) => ({
      title: `${tokenIn(token)} não é usado`,
      text: wasUsed ? 'Faz muito tempo que não é usado.' : 'Nunca foi usado.',
      over: `${tokenIn(token)} voltou a ser usado ou foi removido`,
      action: 'Revogue-o se nenhum programa precisa dele: quem o encontrar pode enviar.',
    }),
    many: (count, { plural }) => plural(count, '# token não é usado', '# tokens não são usados'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# token voltou a ser usado ou foi removido',
        '# tokens voltaram a ser usados ou foram removidos',
      ),
    rule: 'Um token não é usado há N dias.',
  },
  budget_used: {
    one: ({ customer, budget, spent, currency, unpriced, isReached, isHeld }, { number, plural }) => ({
      title: isReached
        ? `${customer} esgotou o orçamento deste mês`
        : `${customer} usou 80% do orçamento deste mês`,
      text: [
        `Estimativa: ${number(spent)} de ${number(budget)} ${currency}.`,
        unpriced &&
          plural(
            unpriced,
            `# mensagem não tem preço em ${currency}.`,
            `# mensagens não têm preço em ${currency}.`,
          ),
        isHeld && 'Modelos de marketing são recusados.',
      ]
        .filter(Boolean)
        .join(' '),
      over: `${customer} voltou a ficar abaixo de 80% do orçamento`,
      action: isHeld
        ? 'Aumente o orçamento para voltar a enviar modelos de marketing, ou espere o próximo mês.'
        : 'Aumente o orçamento ou combine com o cliente o que ainda será enviado neste mês.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# cliente usou a maior parte do orçamento deste mês',
        '# clientes usaram a maior parte do orçamento deste mês',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# cliente voltou a ficar abaixo de 80% do orçamento',
        '# clientes voltaram a ficar abaixo de 80% do orçamento',
      ),
    rule: 'Um cliente usou 80% do orçamento do mês, ou todo ele.',
  },
  disk_short: {
    one: ({ megabytes }, { number }) => ({
      title: `O disco do banco de dados tem só ${number(megabytes)} MB livres`,
      text: 'Abaixo de 128 MB o gateway recusa mensagens e eventos novos, para não perder nada do que aceitou.',
      over: 'O disco do banco de dados voltou a ter espaço',
      action: 'Libere espaço, aumente o disco ou guarde eventos por menos tempo (GATEWAY_KEEP_BODIES).',
    }),
    many: () => 'O disco está quase cheio',
    manyOver: () => 'O disco voltou a ter espaço',
    rule: 'Restam menos de N MB no disco do banco de dados.',
  },
  memory_short: {
    one: ({ process, percent }, { number }) => ({
      title: `${process} está com pouca memória`,
      text: `Restam ${number(percent)} % da memória que pode usar.`,
      over: `${process} voltou a ter memória`,
      action: 'Dê mais memória à máquina ou ao contêiner, ou encerre outros programas que a usam.',
    }),
    many: (count, { plural }) =>
      plural(count, '# processo está com pouca memória', '# processos estão com pouca memória'),
    manyOver: (count, { plural }) =>
      plural(count, '# processo voltou a ter memória', '# processos voltaram a ter memória'),
    rule: 'Um processo tem menos de um décimo da memória livre.',
  },
  overloaded: {
    one: ({ process, causes }) => ({
      title: `${process} recusa requisições`,
      text: causes.length ? `Motivo: ${causes.map((cause) => SHORTAGES[cause]).join(', e ')}.` : '',
      over: `${process} voltou a aceitar requisições`,
      action: 'Veja de onde vêm as requisições. Acrescente um processo ou use um disco mais rápido.',
    }),
    many: (count, { plural }) =>
      plural(count, '# processo recusa requisições', '# processos recusam requisições'),
    manyOver: (count, { plural }) =>
      plural(count, '# processo voltou a aceitar requisições', '# processos voltaram a aceitar requisições'),
    rule: 'Um processo está sobrecarregado e recusa requisições.',
  },
  database_away: {
    one: ({ process }) => ({
      title: 'O banco de dados não responde',
      text: `${process} não consegue usá-lo e recusa tudo o que teria de guardar.`,
      over: 'O banco de dados voltou a responder',
      action: 'Confira se o banco de dados está em execução, tem espaço e pode ser acessado desta máquina.',
    }),
    many: () => 'O banco de dados não responde',
    manyOver: () => 'O banco de dados voltou a responder',
    rule: 'O banco de dados não responde há N minutos.',
  },
  platform_away: {
    one: ({ process, because }) => ({
      title: `${process} não consegue acessar o WhatsApp`,
      text: `${UNREACHED[because]} Nenhuma mensagem é enviada até ele responder.`,
      over: `${process} voltou a acessar o WhatsApp`,
      action: OF_CERTIFICATES.includes(because)
        ? 'Confira GATEWAY_UPSTREAM_URL. Se um proxy seu abre a conexão, informe o certificado dele em NODE_EXTRA_CA_CERTS.'
        : 'Confira a rede da máquina, o servidor de nomes e GATEWAY_UPSTREAM_URL.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# processo não consegue acessar o WhatsApp',
        '# processos não conseguem acessar o WhatsApp',
      ),
    manyOver: (count, { plural }) =>
      plural(count, '# processo voltou a acessar o WhatsApp', '# processos voltaram a acessar o WhatsApp'),
    rule: 'O WhatsApp não respondeu a N chamadas seguidas.',
  },
  process_gone: {
    one: ({ process }) => ({
      title: `O processo ${process} sumiu`,
      text: 'Ele não foi encerrado e nenhum outro processo o substituiu. Processos com os mesmos papéis fazem o trabalho dele.',
      over: `O processo ${process} voltou ou foi substituído`,
      action: 'Veja no log por que ele terminou e inicie-o de novo.',
    }),
    many: (count, { plural }) => plural(count, '# processo sumiu', '# processos sumiram'),
    manyOver: (count, { plural }) =>
      plural(count, '# processo voltou ou foi substituído', '# processos voltaram ou foram substituídos'),
    rule: 'Um processo sumiu há N minutos sem ter sido encerrado.',
  },
  role_missing: {
    one: ({ role }) => ({
      title: `Nenhum processo tem o papel ${role}`,
      text: WITHOUT_ROLE[role],
      over: `Um processo voltou a ter o papel ${role}`,
      action: `Inicie um processo cujo GATEWAY_ROLES inclua ${role}, ou sem GATEWAY_ROLES.`,
    }),
    many: (count, { plural }) => plural(count, '# papel está sem processo', '# papéis estão sem processo'),
    manyOver: (count, { plural }) =>
      plural(count, '# papel voltou a ter um processo', '# papéis voltaram a ter um processo'),
    rule: 'Um papel de GATEWAY_ROLES está sem processo há N minutos.',
  },
  clocks_apart: {
    one: ({ process, seconds, isAhead, of }, { plural }) => ({
      title: `O relógio de ${process} está errado`,
      text: `Ele está ${plural(seconds, '# segundo', '# segundos')} ${isAhead ? 'adiantado' : 'atrasado'} em relação ao relógio ${of === 'database' ? 'do banco de dados' : 'do WhatsApp'}. Assinaturas e prazos dependem dele.`,
      over: `O relógio de ${process} voltou ao normal`,
      action: 'Faça a máquina usar um servidor de horário (NTP).',
    }),
    many: (count, { plural }) => plural(count, '# relógio está errado', '# relógios estão errados'),
    manyOver: (count, { plural }) =>
      plural(count, '# relógio voltou ao normal', '# relógios voltaram ao normal'),
    rule: 'O relógio de uma máquina está errado em mais de N segundos.',
  },
  backup_failed: {
    one: ({ failure }) => ({
      title: 'O backup diário falhou',
      text: failure,
      over: 'O backup diário voltou a funcionar',
      action: 'Leia o motivo no log. O backup é tentado de novo a cada hora.',
    }),
    many: () => 'O backup diário falhou',
    manyOver: () => 'O backup diário voltou a funcionar',
    rule: 'O backup diário falhou.',
  },
  channel_failing: {
    one: ({ channel, failure }, { say }) => ({
      title: `Os alertas não chegam ao canal ${channel}`,
      text: say(failure),
      over: `Os alertas voltaram a chegar ao canal ${channel}`,
      action: 'Corrija as configurações dele e envie um alerta de teste.',
    }),
    many: (count, { plural }) =>
      plural(count, 'Os alertas não chegam a # canal', 'Os alertas não chegam a # canais'),
    manyOver: (count, { plural }) =>
      plural(count, 'Os alertas voltaram a chegar a # canal', 'Os alertas voltaram a chegar a # canais'),
    rule: 'Os alertas não chegam a um dos canais.',
  },
  log_in_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# login no painel de controle falhou em 10 minutos',
        '# logins no painel de controle falharam em 10 minutos',
      ),
      text: 'Alguém pode estar adivinhando senhas. Depois de algumas erradas, uma conta recusa novas tentativas do mesmo endereço.',
      over: 'Os logins que falham voltaram a ser raros',
      action: 'Encontre o endereço na auditoria e bloqueie o acesso dele ao painel.',
    }),
    many: () => 'Muitos logins falham',
    manyOver: () => 'Os logins que falham voltaram a ser raros',
    rule: 'Mais de N logins no painel de controle falham em 10 minutos.',
  },
  signature_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        'Chegou # notificação com assinatura errada em 10 minutos',
        'Chegaram # notificações com assinatura errada em 10 minutos',
      ),
      text: 'Elas foram recusadas. Alguém envia em nome do WhatsApp. Ou o segredo do app está errado, e então nenhum evento do WhatsApp é aceito.',
      over: 'As assinaturas voltaram a estar certas',
      action:
        'Compare o segredo do app com o da plataforma. Se estiver certo, bloqueie no callback o endereço que está no log.',
    }),
    many: () => 'Chegam notificações com assinaturas erradas',
    manyOver: () => 'As assinaturas voltaram a estar certas',
    rule: 'Mais de N notificações com assinatura errada chegam em 10 minutos.',
  },
  token_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        'Chegou # requisição com token errado em 10 minutos',
        'Chegaram # requisições com token errado em 10 minutos',
      ),
      text: 'Elas foram recusadas. Alguém adivinha tokens, ou um programa usa um token revogado.',
      over: 'Os tokens errados voltaram a ser raros',
      action: 'Encontre o endereço no log. Dê a esse programa o novo token ou bloqueie o endereço.',
    }),
    many: () => 'Chegam muitas requisições com tokens errados',
    manyOver: () => 'Os tokens errados voltaram a ser raros',
    rule: 'Mais de N requisições com token errado chegam em 10 minutos.',
  },

  owner_password: {
    one: ({ times }, { plural }) => ({
      title: plural(times, '# proprietário entrou com senha', '# logins de proprietários com senha'),
      text: 'Todos os outros usuários entram por um provedor. Os proprietários só usam a senha se o provedor falhar.',
      over: 'Nenhum outro proprietário entrou com senha',
      action: 'Verifique na auditoria se foi mesmo um proprietário e se havia motivo.',
    }),
    many: () => 'Proprietários entram com senha',
    manyOver: () => 'Nenhum outro proprietário entrou com senha',
    rule: 'Um proprietário entra com senha, embora as senhas sejam para emergências.',
  },
};
