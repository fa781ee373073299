import { type FactWords } from '../facts';
import { failedAttempt } from '../failed-attempt';
import { placeIn, tokenIn } from './alerts';
import { checks } from './checks';
import { issues } from './issues';
import { rateCards } from './rate-cards';
import { templateIssues } from './template-issues';

const OUTCOMES: Record<string, string> = {
  timeout: 'sem resposta a tempo',
  dns: 'nome do host desconhecido',
  tls: 'sem conexão segura',
  connection: 'não foi possível conectar',
  address_refused: 'endereço não permitido',
};

const ANSWERS: Record<string, string> = {
  'HTTP 401': 'o receptor exige credenciais, por exemplo um cabeçalho Authorization',
  'HTTP 403': 'o receptor exige credenciais, por exemplo um cabeçalho Authorization',
  'HTTP 404': 'não encontrado; se for o n8n, o workflow pode estar inativo',
};

const RESTRICTIONS: Record<string, string> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: 'iniciar conversas',
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: 'responder a clientes',
  RESTRICTED_ADD_PHONE_NUMBER_ACTION: 'adicionar números de telefone',
};

const DISABLED: Record<string, string> = {
  SCHEDULE_FOR_DISABLE: 'Ela será desativada',
  DISABLE: 'Ela está desativada',
};

const UNREPORTED = {
  connection: (name: string) => `No momento o WhatsApp não informa se ${name} está conectada`,
  restriction: (name: string) => `No momento o WhatsApp não informa se ${name} está restrita`,
  rating: (name: string) => `No momento o WhatsApp não avalia ${name}`,
  limit: (name: string) => `No momento o WhatsApp não informa o limite de mensagens de ${name}`,
  setup: (name: string) => `O WhatsApp não informa no momento a configuração de ${name}`,
};

export const facts: FactWords = {
  ...checks,
  ...issues,
  ...rateCards,
  ...templateIssues,

  'attempt.failed': failedAttempt(OUTCOMES, ANSWERS),
  'paused.by': ({ who }) => (who === null ? 'Pausado pelo operador.' : `Pausado por ${who}.`),
  'paused.undeliverable': ({ since, last }, { say, time }) =>
    `Nenhum evento pôde ser entregue desde ${time(since)} (última tentativa: ${say({ word: 'attempt.failed', values: { failure: last } })}). Os eventos ficam guardados.`,
  'paused.gone': () => 'Ele respondeu 410 Gone.',

  'address.allow': ({ entry }) =>
    `Defina GATEWAY_ALLOW_DESTINATIONS=${entry}, ou acrescente essa entrada à lista, e reinicie o gateway.`,
  'handshake.done': () => 'Respondeu ao desafio.',
  'handshake.ignored': ({ status }) =>
    `Respondeu HTTP ${status} sem o desafio. Os eventos são enviados mesmo assim.`,
  'handshake.forbidden': ({ because }, { say }) => `${say(because)} Até lá, os eventos ficam na fila aqui.`,
  'handshake.unknown_host': ({ host }) =>
    `O nome de host ${host} não foi encontrado. Verifique a grafia. Os eventos ficam na fila até que o nome seja encontrado.`,
  'handshake.failed': ({ message }) =>
    `Não foi possível consultá-lo: ${message}. Os eventos são enviados mesmo assim.`,
  'handshake.unreached': () =>
    'O gateway não consegue chegar a este endereço. Se o endereço for privado, por exemplo o n8n na mesma rede Docker, o operador do gateway precisa permiti-lo com GATEWAY_ALLOW_DESTINATIONS. Os eventos são enviados mesmo assim.',

  'account.restricted': ({ from }) =>
    `Por enquanto ela não pode ${from.map((one) => RESTRICTIONS[one] ?? one).join(', ') || 'fazer tudo'}.`,
  'account.violation': ({ type }) =>
    `O WhatsApp informa uma violação da política dele${type === null ? '' : `: ${type}`}.`,
  'account.disabled': ({ state, date }) =>
    `${DISABLED[state] ?? 'Ela vai ser desativada'}${date === null ? '' : ` (${date})`}.`,
  'account.deleted': () => 'Ela foi excluída.',

  'over.process_ended': ({ process }) => `${process} terminou e não observa mais isto`,
  'over.line_deactivated': ({ name }) => `${name} foi desativada`,
  'over.line_removed': ({ id }) => `A linha ${id} foi removida`,
  'over.destination_removed': ({ place }) => `${placeIn(place)} foi removido`,
  'over.destination_expired': ({ place }) => `${placeIn(place)} expirou`,
  'over.destination_paused': ({ place }) => `${placeIn(place)} está em pausa`,
  'over.resumed_failing': ({ place }) =>
    `${placeIn(place)} não está mais em pausa, mas não está aceitando eventos`,
  'over.channel_removed': () => 'Um canal ao qual os alertas não chegavam foi removido',
  'over.channel_paused': ({ channel }) => `O canal ${channel} está em pausa`,
  'over.channel_changed': ({ channel }) => `O canal ${channel} foi alterado e é tentado de novo`,
  'over.process_missed': ({ process }) => `O processo ${process} sumiu há um dia e não é mais esperado`,
  'over.token_expired': ({ token, milliseconds }, { duration }) =>
    `${tokenIn(token)} expirou há ${duration(milliseconds)} e não é mais observado`,
  'over.token_replaced': ({ name }) => `${name} tem outro token de acesso, que ainda não foi usado`,
  'over.unreported': ({ what, name }) => UNREPORTED[what](name),
  'over.usual': ({ what, name }) =>
    what === 'category'
      ? 'O WhatsApp mudou a categoria há uma semana, e ela agora conta como habitual'
      : `${what === 'limit' ? 'O limite de mensagens' : 'A avaliação de qualidade'} de ${name ?? 'uma linha'} vale menos há uma semana e agora conta como habitual`,

  'muted.line': ({ line }) => `Tudo sobre ${line}`,
  'muted.everything': () => 'Tudo',

  'entry.inserted': ({ number }) => `O registro ${number} foi inserido: não faz parte da auditoria.`,
  'entry.many_inserted': ({ most }) => `Foram inseridos mais de ${most} registros.`,
  'entry.missing': ({ from, to }) =>
    from === to ? `Falta o registro ${from}.` : `Faltam os registros ${from} a ${to}.`,
  'entry.unverifiable': ({ missing, number }) =>
    `Falta o registro ${missing}. O registro ${number} não pode ser verificado.`,
  'entry.changed': ({ number, at }) => `O registro ${number} de ${at} não está como foi escrito.`,
  'entry.no_head': () => 'Falta o cabeçalho da auditoria.',
  'entry.no_key': () => 'Falta a chave da auditoria.',
  'entry.other_start': () => 'O início da auditoria não está como foi selado.',
  'entry.other_last': () => 'O último registro não é o que o cabeçalho indica.',
  'entry.of_customer': ({ customer, number }) =>
    `A auditoria do cliente ${customer} não está como foi escrita, a partir do registro ${number}.`,
  'entry.unexpected': ({ number }) =>
    `O registro ${number} não é o esperado: foi substituído ou um estado anterior foi restaurado.`,

  'channel.late': () => 'Ele não respondeu a tempo.',
  'channel.unreached': ({ why }) => `Não foi possível acessá-lo: ${why || 'a conexão falhou'}.`,
  'channel.answered': ({ status, text }) =>
    `Ele respondeu${status === null ? '' : ` HTTP ${status}`}${text ? `: ${text}` : '.'}`,
  'channel.no_line': () => 'A linha não existe. Escolha outra.',
  'channel.no_template': ({ template }) => `A linha não tem o modelo ${template}.`,
  'channel.whatsapp': ({ why }) => `O WhatsApp diz: ${why}`,
  'channel.smtp_late': () => 'O servidor não aceitou o e-mail a tempo.',
  'channel.smtp': ({ why }) => `O servidor não aceitou o e-mail: ${why}`,
  'channel.telegram': () => 'O Telegram não aceitou a mensagem.',
  'channel.unknown_kind': () => 'Esta versão do gateway não conhece este tipo de canal.',

  'mail.no_server': () =>
    'Nenhum servidor de e-mail. Adicione um canal de e-mail para todos os alertas; o servidor dele será usado.',
  'invitation.subject': () => 'Convite para o Messaging Gateway',
  'invitation.text': ({ link }) =>
    `Você recebeu um convite para o Messaging Gateway. Abra este link em até 72 horas para aceitar. Ele funciona uma vez:\n\n${link}\n\nSe você não esperava um convite, ignore este e-mail.`,
  'channel.test': ({ channel }) => `Os alertas chegam a ${channel}`,
  'channel.test.text': ({ who }) => `Este é um teste que ${who} pediu. Não há nenhum incidente.`,
};
