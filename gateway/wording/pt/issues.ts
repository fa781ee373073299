import { type FactWords } from '../facts';
import { type Copied, type IssueValues } from '../issues';

const COPIED = {
  access_token: 'O token de acesso',
  app_secret: 'A chave secreta do app',
  signing_secret: 'O segredo de assinatura',
};

function copiedIn(what: Copied): string {
  if (typeof what === 'string') return COPIED[what];
  return 'header' in what ? `O valor de ${what.header}` : what.setting;
}

export const issues: Pick<FactWords, keyof IssueValues> = {
  'url.invalid': () => 'Informe um endereço completo, como https://example.com/webhook',
  'url.long': ({ most }) => `Uma URL tem até ${most} caracteres.`,
  'url.scheme': ({ scheme }) => `Um destino começa com https:// ou http://, não com ${scheme}//`,
  'url.user': () => 'Um destino não leva usuário nem senha. Use um cabeçalho próprio.',
  'address.invalid': ({ address }) => `${address} não é um endereço.`,
  'address.private': ({ place, entry }, { say }) =>
    `${place} não é um endereço público. ${
      entry === null
        ? 'Peça ao operador do gateway que acrescente este endereço.'
        : say({ word: 'address.allow', values: { entry } })
    }`,

  'header.many': ({ most }) => `São possíveis no máximo ${most} cabeçalhos.`,
  'header.name': ({ name }) => `${name} não é um nome de cabeçalho.`,
  'header.own': ({ name }) => `O cabeçalho ${name} é enviado pelo próprio gateway.`,
  'header.value': ({ name, most }) =>
    `O valor de ${name} tem até ${most} caracteres, em uma linha e sem acentos.`,
  'header.lines': () => 'Escreva cada cabeçalho em uma linha, como "Nome: valor".',
  'header.elsewhere': () =>
    'Este destino tem cabeçalhos, e o novo endereço fica em outro servidor. Digite os cabeçalhos de novo junto com o endereço, ou remova-os.',
  'secret.length': ({ least, most }) => `Um segredo de assinatura tem de ${least} a ${most} caracteres.`,

  'copied.spaces': ({ what }) =>
    `${copiedIn(what)} contém um espaço ou uma quebra de linha. Copie de novo, em uma linha.`,
  'copied.hidden': ({ what }) =>
    `${copiedIn(what)} tem um espaço no início ou no fim, uma quebra de linha ou um caractere invisível. Copie de novo, em uma linha.`,
  'copied.long': ({ what }) => `${copiedIn(what)} tem caracteres demais. Copie de novo.`,

  'seconds.range': ({ most }, { number }) => `Informe um número inteiro de segundos, de 1 a ${number(most)}.`,
  'choice.none': () => 'Escolha pelo menos um.',
  'choice.unknown': ({ given, possible }) => `${given} não é possível aqui. Escolha ${possible.join(', ')}.`,
  'raw.waits': () =>
    'Só eventos únicos podem esperar a pausa do contato: escolha o modo split ou nenhuma pausa.',

  'name.missing': () => 'Informe um nome.',
  'name.long': ({ most }) => `Um nome tem até ${most} caracteres.`,
  'name.hidden': () =>
    'O nome contém uma tabulação, uma quebra de linha ou um caractere invisível. Digite-o de novo.',
  'number_id.invalid': () => 'Um ID do número de telefone só tem dígitos, como 106540352242922.',
  'number_id.taken': () => 'Outra linha já tem este ID de número de telefone.',
  'waba_id.invalid': () => 'Um ID de conta comercial do WhatsApp só tem dígitos, como 102290129340398.',
  'waba_id.same': () => 'Este é de novo o ID do número de telefone; a conta tem um ID próprio.',
  'access_token.missing': () => 'Informe o token de acesso que envia as mensagens.',
  'app_secret.missing': () => 'Informe a chave secreta do app. Sem ela, o gateway não pode receber eventos.',
  'hours.range': ({ most }) =>
    `Informe um número inteiro de horas, no máximo ${most}, ou 0 para nenhuma pausa.`,
  'number.range': ({ most }, { number }) => `Informe um número inteiro de 1 a ${number(most)}.`,
  'overlap.range': ({ most }, { number }) =>
    `Informe um número inteiro de horas, no máximo ${number(most)}, ou 0 para encerrar o anterior imediatamente.`,
  'end.hours': ({ most }, { number }) => `Informe um número inteiro de horas, de 1 a ${number(most)}.`,
  'end.time': ({ most }, { number }) =>
    `Informe as horas ou um horário nas próximas ${number(most)} horas, como 2026-12-24T18:00:00Z.`,
  'user_name.invalid': ({ most }) =>
    `Um nome tem até ${most} letras e dígitos, e pode ter . _ - + @ entre eles.`,
  'user_name.taken': () => 'Este nome já está em uso. Escolha outro.',
  'role.owner': () => 'Os proprietários administram todo o gateway. Escolha outra função para um cliente.',
  'customer.missing': () => 'Escolha um cliente.',
  'customer.unknown': () => 'Esse cliente não existe.',
  'line_id.unknown': () => 'Essa linha não existe.',
  'days.range': ({ most }, { number }) => `Digite um número de dias de 1 a ${number(most)}.`,
  'reach.both': () => 'Escolha clientes ou linhas, não os dois.',
  'permissions.above': ({ names }) => `Você não tem ${names.join(', ')} para tudo o que o token alcança.`,
  'permissions.narrow': ({ names }) =>
    `Um token que alcança só alguns clientes ou linhas não pode ter ${names.join(', ')}.`,
  'external_id.missing': () => 'Insira um ID externo ou deixe o campo vazio.',
  'external_id.long': ({ most }) => `Um ID externo tem até ${most} caracteres.`,
  'external_id.hidden': () =>
    'O ID externo contém uma tabulação, uma quebra de linha ou um caractere invisível. Digite-o de novo.',
  'external_id.taken': () => 'Outro cliente tem este ID externo.',
  'number_id.elsewhere': () =>
    'Não é possível adicionar este número de telefone aqui. Fale com o operador do gateway.',
  'password.short': ({ least }) =>
    `Use pelo menos ${least} caracteres. Quatro palavras seguidas dão uma boa senha.`,
  'password.long': ({ most }, { number }) => `Use no máximo ${number(most)} caracteres.`,
  'password.plain': () => 'Use mais caracteres diferentes.',
  'password.name': () => 'Use algo que não seja o seu nome.',
  'words.both': ({ word }) => `"${word}" serve para os dois, sair e voltar.`,
  'words.long': ({ most }) => `Uma palavra tem até ${most} caracteres.`,
  'words.hidden': () => 'Uma palavra contém um caractere invisível. Digite as palavras de novo.',
  'words.many': ({ most }) => `Pode haver até ${most} palavras.`,

  'platform.unreached': () =>
    'Não foi possível alcançar a plataforma agora, por isso nada pôde ser verificado.',
  'platform.unclear': ({ says }) => `Nada pôde ser verificado. A plataforma diz: ${says}.`,
  'platform.wrong_token': ({ says }) =>
    `A plataforma não aceita este token de acesso: foi mal digitado, expirou ou foi revogado. A plataforma diz: ${says}.`,
  'platform.no_access': ({ to, says }) =>
    `Este token de acesso não pode usar ${to === 'number' ? 'este número de telefone' : 'esta conta comercial'}. Dê ao usuário do sistema os ativos e as permissões whatsapp_business_messaging e whatsapp_business_management. A plataforma diz: ${says}.`,
  'platform.unknown_id': ({ of, says }) =>
    `A plataforma não conhece ${of === 'number' ? 'um número de telefone' : 'uma conta comercial'} com este ID que o token de acesso possa usar. Cuidado para não trocar os dois IDs. A plataforma diz: ${says}.`,
  'platform.other_account': () =>
    'O número de telefone não pertence a esta conta comercial. Copie o ID da conta que a plataforma mostra ao lado do ID do número de telefone.',
  'platform.other_number': ({ number }) => `A plataforma informa ${number} para este ID.`,

  'value.missing': () => 'Informe um valor.',
  'server.changed': () => 'Informe de novo, porque o servidor mudou.',
  'scope.missing': () => 'Escolha as linhas que o canal cobre.',
  'time.invalid': () => 'Informe um horário, como 22:00.',
  'date.invalid': () => 'Informe uma data ou um horário, como 2027-01-31T00:00:00Z.',
  'day.invalid': () => 'Informe um dia, como 2027-01-31.',
  'period.reversed': () => 'O último dia não pode ser anterior ao primeiro.',
  'period.long': ({ most }) => `Escolha no máximo ${most} dias.`,
  'country.invalid': () => 'Informe um país com duas letras, como BR, ou ?? para países desconhecidos.',
  'usage.many': ({ most }, { number }) =>
    `O relatório teria mais de ${number(most)} linhas. Escolha períodos mais longos, menos dias ou um filtro.`,
  'date.past': () => 'Informe um horário no futuro.',
  'time_zone.unknown': () => 'Informe um fuso horário, como America/Sao_Paulo ou UTC.',
  'phone.invalid': () => 'Informe um número de telefone com o código do país, como +55 11 98765-4321.',
  'recipient.invalid': () =>
    'Informe um número de telefone com o código do país, como +55 11 98765-4321, ou um ID de usuário, como US.13491208655302741918.',
  'email.addresses': () => 'Informe endereços de e-mail separados por vírgulas, como ana@example.com',
  'email.address': () => 'Informe um endereço de e-mail, como gateway@example.com',
  'host.invalid': () => 'Informe o nome de um servidor, como smtp.example.com',
  'port.invalid': () => 'Informe uma porta, um número de até 65535.',
  'bot_token.invalid': () => 'Informe o token de um bot, como 110201543:AAHdq…',
  'topic.invalid': () => 'Um tópico tem letras, dígitos, - e _, no máximo 64.',
  'json.invalid': ({ why }) => `Isto não é JSON: ${why}`,

  'oidc.key': () => 'Use até 40 letras minúsculas, dígitos e hifens.',
  'oidc.key_taken': () => 'Outro provedor já tem este nome curto.',
  'oidc.issuer': () =>
    'Digite o emissor como o provedor o mostra, por exemplo https://login.example.com/realms/company',
  'oidc.issuer_taken': () => 'Este emissor já está configurado.',
  'oidc.domain': () => 'Digite domínios separados por vírgulas, por exemplo example.com',
  'oidc.many': ({ most }) => `Digite no máximo ${most}.`,
  'oidc.long': ({ most }, { number }) => `Use no máximo ${number(most)} caracteres.`,
  'oidc.hidden': () => 'Há uma quebra de linha ou um caractere invisível. Digite de novo.',
  'oidc.no_roles': () => 'Novos usuários recebem as funções dos grupos. Adicione antes um grupo.',

  'draft.changed': ({ who, at }, { time }) => `${who} salvou este rascunho em ${time(at)}.`,
  'draft.shape': () => 'Cada idioma de um modelo precisa do seu código e de uma lista de componentes.',
  'draft.large': ({ kilobytes }) => `Um rascunho tem até ${kilobytes} KB.`,
  'draft.languages': ({ most }) => `Um rascunho tem até ${most} idiomas.`,
  'draft.parts': ({ most }) => `Um rascunho tem até ${most} partes e variáveis.`,
  'draft.import': () => 'Insira um modelo como objeto JSON, ou os seus idiomas como lista de objetos.',
  'draft.differs': ({ field }) => `"${field}" deve ser igual em todos os idiomas.`,
  'sample.large': ({ megabytes }) => `Um arquivo de exemplo tem até ${megabytes} MB.`,
  'sample.many': ({ most }) => `Um rascunho tem até ${most} arquivos de exemplo.`,
};
