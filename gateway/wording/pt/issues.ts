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

  'phone.invalid': () => 'Informe um número de telefone com o código do país, como +55 11 98765-4321.',
  'email.addresses': () => 'Informe endereços de e-mail separados por vírgulas, como ana@example.com',
  'email.address': () => 'Informe um endereço de e-mail, como gateway@example.com',
  'host.invalid': () => 'Informe o nome de um servidor, como smtp.example.com',
  'port.invalid': () => 'Informe uma porta, um número de até 65535.',
  'bot_token.invalid': () => 'Informe o token de um bot, como 110201543:AAHdq…',
  'topic.invalid': () => 'Um tópico tem letras, dígitos, - e _, no máximo 64.',
  'json.invalid': ({ why }) => `Isto não é JSON: ${why}`,
};
