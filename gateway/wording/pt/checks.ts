import { type CheckFactValues } from '../checks';
import { type FactWords } from '../facts';

const RATINGS = { HIGH: 'alta', MEDIUM: 'média', LOW: 'baixa', UNKNOWN: 'ainda sem avaliação' };

export const checks: Pick<FactWords, keyof CheckFactValues> = {
  'check.unread': () => 'Ainda não verificado.',
  'check.unreported': () => 'O WhatsApp não informou isto.',
  'check.lacks': ({ permission }) =>
    `Não foi possível ler: falta ao token de acesso a permissão ${permission}.`,
  'check.refused': ({ says }) => `Não foi possível ler. O WhatsApp diz: ${says}`,

  'check.token': ({ expires }, { time }) =>
    expires === null ? 'O token de acesso é válido.' : `O token de acesso é válido até ${time(expires)}.`,
  'check.token_lasting': () => 'O token de acesso é válido e não expira.',
  'check.token_missing': () => 'A linha não tem token de acesso. Informe-o em Configurações.',
  'check.token_refused': () => 'O WhatsApp recusa o token de acesso. Informe um novo em Configurações.',
  'check.token_expired': ({ at }, { time }) =>
    `O token de acesso expirou em ${time(at)}. Informe um novo em Configurações.`,
  'check.token_expires': ({ at, days }, { plural, time }) =>
    `O token de acesso expira em ${plural(days, '# dia', '# dias')}, em ${time(at)}. Crie um que não expire, para um usuário do sistema.`,
  'check.token_lacks': ({ permissions }) =>
    `Falta ao token de acesso ${permissions.join(' e ')}. Crie um com as duas permissões.`,
  'check.token_other_account': () =>
    'O token de acesso não pode usar esta conta comercial. Atribua a conta ao usuário do sistema dele e crie um novo token.',
  'check.token_of_user': () =>
    'O token de acesso pertence a uma pessoa e deixa de funcionar com o login dela. Use o token de um usuário do sistema.',
  'check.number': () => 'A conta comercial tem este número de telefone.',
  'check.number_elsewhere': () =>
    'A conta comercial não tem este número de telefone. Corrija os IDs em Configurações.',
  'check.registered': () => 'O número está registrado na Cloud API.',
  'check.unregistered': () =>
    'O número não está registrado na Cloud API e por isso não envia nem recebe. Registre-o com o PIN dele.',
  'check.unverified': () =>
    'O número está registrado, mas não foi verificado. Verifique-o no WhatsApp Manager.',
  'check.name': ({ name }) =>
    name ? `O nome de exibição “${name}” está aprovado.` : 'O nome de exibição está aprovado.',
  'check.name_pending': () => 'O WhatsApp está analisando o nome de exibição. Até lá, o envio é limitado.',
  'check.name_declined': () => 'O WhatsApp não aceita o nome de exibição. Escolha outro no WhatsApp Manager.',
  'check.subscribed': () => 'O app recebe os eventos da conta comercial.',
  'check.unsubscribed': () =>
    'Nenhum app está inscrito na conta comercial, por isso nenhuma mensagem ou status chega aqui.',
  'check.called': () => 'O WhatsApp alcança este gateway.',
  'check.uncalled': ({ canSet }) =>
    canSet
      ? 'O WhatsApp ainda não chamou este gateway. Informe a URL de callback no seu app ou defina-a para este número. Esta última cobre apenas mensagens e status: eventos de modelos e da conta precisam do callback do app.'
      : 'O WhatsApp ainda não chamou este gateway. Defina GATEWAY_PUBLIC_URL e informe a URL de callback no seu app.',
  'check.signed': () => 'O segredo do app confere: o último evento tinha a assinatura correta.',
  'check.signed_wrong': ({ since }, { time }) =>
    `Os eventos são recusados desde ${time(since)}, porque o segredo do app não confere com a assinatura deles. Informe em Configurações o do app que os envia.`,
  'check.unsigned': () => 'Verificado com o primeiro evento.',
  'check.quality': ({ rating, limit, throughput }) =>
    `Qualidade: ${RATINGS[rating]}. Limite de mensagens: ${limit || 'não informado'}. Vazão: ${throughput || 'não informada'}.`,
  'check.paid': () => 'A conta comercial tem uma forma de pagamento.',
  'check.unpaid': () =>
    'A conta comercial não tem forma de pagamento. Desde outubro de 2026, o WhatsApp então não entrega mensagens, nem mesmo respostas. Adicione uma no WhatsApp Manager.',
  'check.account': () => 'A conta comercial está aprovada e a empresa está verificada.',
  'check.account_pending': ({ review }) => `O WhatsApp está analisando a conta comercial (${review}).`,
  'check.account_rejected': ({ review }) =>
    `O WhatsApp não aprovou a conta comercial (${review}). Peça uma análise na Página Inicial do Suporte para Empresas.`,
  'check.business_unverified': ({ verification }) =>
    `A conta comercial está aprovada, mas a empresa não está verificada (${verification}). Verifique-a para ter limites maiores.`,
  'check.pin': () => 'A confirmação em duas etapas está ativada.',
  'check.pin_missing': () =>
    'A confirmação em duas etapas está desativada. Defina um PIN, para que ninguém mais possa registrar o número.',
  'check.destinations': ({ count }, { plural }) =>
    plural(count, '# destino recebe eventos.', '# destinos recebem eventos.'),
  'check.destinations_failing': ({ failing, count }, { number }) =>
    `${number(failing)} de ${number(count)} destinos estão pausados ou não aceitam eventos.`,
  'check.destination_missing': () =>
    'A linha não tem destino. Os eventos são armazenados, mas não encaminhados.',
  'check.received': () => 'Uma mensagem de um telefone chegou.',
  'check.unreceived': ({ number }) =>
    `Escreva para ${number} do seu telefone. Fica verde quando a mensagem chegar.`,
  'check.clock': () => 'O relógio do gateway está certo.',
  'check.clock_wrong': ({ seconds, isAhead }, { duration }) =>
    `O relógio do gateway está ${duration(seconds * 1000)} ${isAhead ? 'adiantado' : 'atrasado'} em relação ao do WhatsApp. Acerte-o por NTP.`,

  'pin.invalid': () => 'Um PIN tem seis dígitos.',
  'code.invalid': () => 'Um código de verificação tem seis dígitos.',
  'command.invalid': () => 'Escreva cada comando com nome e descrição, como “menu: Ver o cardápio”.',
  'public_url.missing': () => 'Defina GATEWAY_PUBLIC_URL e reinicie o gateway.',
};
