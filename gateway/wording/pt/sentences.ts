/** API sentences shown on pages, by their English text. */
export const sentences: Record<string, string> = {
  'Rate limit hit': 'Limite de envio atingido',
  '(Business Account, Consumer Account) pair rate limit hit': 'Limite por contato atingido',
  'Line without platform credentials': 'Linha sem credenciais da plataforma',
  'Contact opted out': 'O contato saiu da lista',
  'Line deactivated': 'Linha desativada',
  'Too many registrations': 'Cadastros demais',
  'Re-engagement message': 'Fora da janela de 24 horas',
  'Your role does not allow this': 'Sua função não permite isto',
  'Users can change only what their role covers, and only other users whose role is not above their own.':
    'Os usuários só podem alterar o que a função deles abrange, e só outros usuários cuja função não esteja acima da sua.',
  'Ask an owner of this gateway to do it.': 'Peça a um proprietário deste gateway que faça isso.',
  'User not found': 'Usuário não encontrado',
  'There is no such user. It may have been removed.': 'Esse usuário não existe. Talvez tenha sido removido.',
  'Authenticator app required': 'App autenticador obrigatório',
  'The authenticator app can’t be switched off, because the gateway or a customer requires one.':
    'O app autenticador não pode ser desligado, porque o gateway ou um cliente exige um.',
  'Set up the app on another phone instead: ask an owner to reset your password.':
    'Configure o app em outro telefone: peça a um proprietário que redefina sua senha.',
  'Invitation not found': 'Convite não encontrado',
  'There is no such invitation. It may have been accepted or revoked.':
    'Esse convite não existe. Talvez tenha sido aceito ou revogado.',
  'This invitation doesn’t work': 'Este convite não funciona',
  'It was accepted, renewed or revoked, is older than 72 hours, or the link is incomplete.':
    'Ele foi aceito, renovado ou revogado, tem mais de 72 horas, ou o link está incompleto.',
  'Ask the person who invited you for another invitation.': 'Peça outro convite a quem convidou você.',
  'This invitation no longer applies': 'Este convite não vale mais',
  'The person who sent it may no longer give this role, or the customer no longer exists.':
    'Quem o enviou não pode mais dar esta função, ou o cliente não existe mais.',
  'Ask an owner of this gateway for another invitation.':
    'Peça outro convite a um proprietário deste gateway.',
  'Last owner with a password': 'Último proprietário com senha',
  'No other owner has a password, so nobody could manage the gateway after this change.':
    'Nenhum outro proprietário tem senha; depois desta alteração, ninguém poderia administrar o gateway.',
  'Add another owner first, who chooses a password. If the password is lost, set a new one with "user reset NAME --password-file FILE".':
    'Antes, adicione outro proprietário, que escolhe uma senha. Se a senha foi perdida, defina outra com "user reset NOME --password-file ARQUIVO".',
  'Last role of the user': 'Última função do usuário',
  'This is the only role of the user.': 'Esta é a única função do usuário.',
  'Remove the user instead, or give another role first.': 'Remova o usuário ou dê antes outra função a ele.',
  'Customer in use': 'Cliente em uso',
  'This customer still has lines: {lines}.': 'Este cliente ainda tem linhas: {lines}.',
  'This customer still has users: {users}.': 'Este cliente ainda tem usuários: {users}.',
  'This customer still has lines ({lines}) and users ({users}).':
    'Este cliente ainda tem linhas ({lines}) e usuários ({users}).',
  'Move or remove them first.': 'Primeiro mova ou remova tudo isso.',
  'Older process running': 'Processo antigo em execução',
  'A process of an earlier version is still running, which knows no customers and would show users everything.':
    'Ainda há um processo de uma versão anterior em execução, que não conhece clientes e mostraria tudo aos usuários.',
  'Upgrade or stop it, then try again.': 'Atualize-o ou pare-o e tente de novo.',
  'Customer suspended': 'Cliente suspenso',
  'The customer of this line is suspended.': 'O cliente desta linha está suspenso.',
  'Ask the operator of the gateway.': 'Fale com o operador do gateway.',
  'Your access is suspended.': 'Seu acesso está suspenso.',
  'Try again in {wait}.': 'Tente de novo em {wait}.',
  'This asks the platform for something that is not kept here, and the platform lets a business account ask only so often.':
    'Isto pergunta à plataforma algo que não fica guardado aqui, e a plataforma limita quantas vezes uma conta comercial pode perguntar.',
  'Try again in {wait}, or ask less often.': 'Tente de novo em {wait} ou pergunte com menos frequência.',
  '{first} (and {count} more: see error_data.fields)': '{first} (e mais {count})',
  'Template {name} ({language}) is paused by the platform because of its low quality.':
    'O modelo {name} ({language}) foi pausado pela plataforma por causa da baixa qualidade.',
  "Template {name} ({language}) cannot be sent: the platform's status for it is {word}.":
    'O modelo {name} ({language}) não pode ser enviado: na plataforma o estado dele é {word}.',
  '{contact} last wrote to this line {time} ago.':
    '{contact} escreveu a esta linha pela última vez há {time}.',
  'This line is deactivated.': 'Esta linha está desativada.',
  'Activate it again in the gateway.': 'Ative-a de novo para continuar.',
  'Too many log-ins': 'Tentativas de entrada demais',
  'There were too many wrong passwords or codes.': 'Houve senhas ou códigos errados demais.',
  'This line sends up to {rate} messages a second, and {burst} at once. Nothing was sent.':
    'Esta linha envia até {rate} mensagens por segundo, e {burst} de uma vez. Nada foi enviado.',
  'Send it again in {wait}, and more slowly. The operator of the gateway can change this limit with GATEWAY_LINE_RATE.':
    'Envie de novo em {wait}, e mais devagar. Quem administra o gateway pode mudar este limite com GATEWAY_LINE_RATE.',
  'One contact gets up to {limit} messages at once from this line, then one every 6 seconds. Nothing was sent.':
    'Um contato recebe até {limit} mensagens de uma vez desta linha, depois uma a cada 6 segundos. Nada foi enviado.',
  'Send to {contact} again in {wait}; other contacts need not wait. The operator of the gateway can change this limit with GATEWAY_PAIR_LIMIT.':
    'Envie de novo a {contact} em {wait}; outros contatos não precisam esperar. Quem administra o gateway pode mudar este limite com GATEWAY_PAIR_LIMIT.',
  'Too many transfers at the same time': 'Transferências demais ao mesmo tempo',
  'This line has {limit} uploads and downloads under way, which is as many as it may have at the same time. Nothing was transferred.':
    'Esta linha tem {limit} envios e downloads de arquivos em andamento, o máximo ao mesmo tempo. Nada foi transferido.',
  'Wait until one of them has ended, or try again in {wait}.':
    'Espere até que um deles termine ou tente de novo em {wait}.',
  'Line quality too low': 'Qualidade da linha baixa demais',
  'The platform rates this line LOW, because recipients blocked or reported it. Nothing was sent.':
    'A plataforma avalia esta linha como baixa, porque destinatários a bloquearam ou denunciaram. Nada foi enviado.',
  'Wait until its rating has recovered, then send again.': 'Espere a avaliação se recuperar e envie de novo.',
  'Line not rated yet': 'Linha ainda não avaliada',
  'The platform has not rated this line yet, and it is set to "strict", which sends with HIGH or MEDIUM only.':
    'A plataforma ainda não avaliou esta linha, e ela está em "estrito", que só envia com qualidade alta ou média.',
  'Set its quality check to "normal" to send before the first rating.':
    'Mude o controle de qualidade para "normal" para enviar antes da primeira avaliação.',
  'File too large': 'Arquivo grande demais',
  'The file is larger than {limit}, the limit for {of}.':
    'O arquivo é maior que {limit}, o limite para {of}.',
  'Make it smaller, then upload it again.': 'Reduza-o e envie de novo.',
  'The file is empty.': 'O arquivo está vazio.',
  'A file of type {type} cannot be uploaded. Possible: {possible}.':
    'Um arquivo do tipo {type} não pode ser enviado. Possíveis: {possible}.',
  'The file is {found}. Possible types: {possible}.': 'O arquivo é {found}. Tipos possíveis: {possible}.',
  'The file is declared as {declared}, but it is {found}. Give it its own type, or send another file.':
    'O arquivo está declarado como {declared}, mas é {found}. Declare o tipo certo ou envie outro arquivo.',
  'Template not approved': 'Modelo não aprovado',
  'Send an approved template instead.': 'Envie um modelo aprovado no lugar.',
  'Budget reached': 'Orçamento esgotado',
  'The monthly budget of this customer is used up. Marketing templates are not sent until the next month. Nothing was sent.':
    'O orçamento mensal deste cliente se esgotou. Modelos de marketing não são enviados até o próximo mês. Nada foi enviado.',
  'Send other messages as usual. The operator of the gateway can raise the budget.':
    'Envie outras mensagens normalmente. Quem administra o gateway pode aumentar o orçamento.',
  '{contact} wants no more messages from this line. Nothing was sent.':
    '{contact} não quer mais mensagens desta linha. Nada foi enviado.',
  'Remove them from your own list as well. Messages are sent again if they write a word to come back, or if you remove them from the opt-out list of the line in the control panel.':
    'Retire-o também da sua própria lista. Quando escrever uma palavra para voltar, ou sair da lista de descadastros da linha no painel de controle, as mensagens voltam a sair.',
  'Service temporarily unavailable': 'Serviço temporariamente indisponível',
  'First request still in progress': 'A primeira solicitação ainda está em andamento',
  'The first request with this Idempotency-Key has not been answered yet.':
    'A primeira solicitação com esta Idempotency-Key ainda não foi respondida.',
  'Ask again in a moment to get its answer.': 'Tente de novo daqui a pouco para ver a resposta.',
  'The gateway has no access token of the platform for this line.':
    'O gateway não tem token de acesso da plataforma para esta linha.',
  'Enter it in the control panel (Lines, Settings), or with "messaging-gateway line edit TID --access-token-file FILE".':
    'Informe-o no painel de controle (Linhas, Configurações) ou com "messaging-gateway line edit TID --access-token-file FILE".',
  'This line has {most} destinations, and each event goes to all of them.':
    'Esta linha tem {most} destinos, e cada evento vai a todos eles.',
  "Remove one that is no longer used: they are on the line's page in the control panel.":
    'Remova um que não seja mais usado: eles estão na página da linha no painel de controle.',
  'The database of the gateway cannot be used at the moment. Nothing was sent.':
    'O banco de dados do gateway não pode ser usado no momento. Nada foi enviado.',
  'Try again in a moment.': 'Tente de novo daqui a pouco.',
  'The gateway accepts nothing new at the moment: {because}. Nothing was sent or kept.':
    'O gateway não aceita nada novo no momento: {because}. Nada foi enviado nem guardado.',
  'The message was handed to the platform, which did not answer. It may have been sent.':
    'A mensagem foi entregue à plataforma, que não respondeu. Ela pode ter sido enviada.',
  'Wait for its status before you send it again.': 'Espere o status dela antes de enviar de novo.',
  'Something between the gateway and the platform answered in its place.':
    'Algo entre o gateway e a plataforma respondeu no lugar dela.',
  'Try again in a moment; if it was a message, it may have been sent: wait for its status first.':
    'Tente de novo daqui a pouco; se era uma mensagem, ela pode ter sido enviada: espere primeiro o status dela.',
  'Check the id. A file is found by the line that has it alone: 30 days after its upload, 7 days after a contact sent it.':
    'Confira o ID. Só a linha que tem o arquivo o encontra: até 30 dias depois de enviado ao servidor, até 7 dias depois de um contato o mandar.',
  'Check the line’s phone number id and business account id, and that its access token of the platform has whatsapp_business_messaging and whatsapp_business_management for them.':
    'Confira os IDs do número e da conta comercial da linha, e se o token de acesso da plataforma tem whatsapp_business_messaging e whatsapp_business_management para eles.',
  'Platform unreachable': 'Plataforma inacessível',
  'The platform cannot be reached. Nothing was sent.':
    'Não é possível acessar a plataforma. Nada foi enviado.',
  'Platform declined': 'A plataforma recusou',
  'The platform did not do what it was asked to, and did not say why.':
    'A plataforma não fez o que foi pedido e não disse por quê.',
  'Platform did not answer': 'A plataforma não respondeu',
  'Store a new access token of the platform for this line.':
    'Guarde um novo token de acesso da plataforma para esta linha.',
  'Check in the access token debugger that the line’s token of the platform has whatsapp_business_messaging and whatsapp_business_management.':
    'Verifique no depurador de tokens de acesso se o token da plataforma desta linha tem whatsapp_business_messaging e whatsapp_business_management.',
  'Send more slowly, and try this message again in a few minutes.':
    'Envie mais devagar e tente esta mensagem de novo em alguns minutos.',
  'Send it again in a few minutes.': 'Envie de novo em alguns minutos.',
  'Open WhatsApp Manager and resolve what it shows for this business account.':
    'Abra o WhatsApp Manager e resolva o que ele mostra para esta conta comercial.',
  'Compare the parameters with the template as it was approved, and send again.':
    'Compare os parâmetros com o modelo como foi aprovado e envie de novo.',
  'Correct the template in WhatsApp Manager, and submit it again.':
    'Corrija o modelo no WhatsApp Manager e envie-o de novo para aprovação.',
  'Correct the field that the platform names, and send again.':
    'Corrija o campo que a plataforma indica e envie de novo.',
  'Register the line’s number in WhatsApp Manager, then send again.':
    'Registre o número da linha no WhatsApp Manager e envie de novo.',
  'Read the group again, and correct the request by what it shows.':
    'Consulte o grupo de novo e corrija a requisição pelo que ele mostra.',
  'The platform refuses the credentials of this line: a permission is missing or was taken away.':
    'A plataforma recusa as credenciais desta linha: falta uma permissão ou ela foi retirada.',
  'The platform is out of order or overloaded for the moment.':
    'A plataforma está fora do ar ou sobrecarregada no momento.',
  'The platform reports no reason.': 'A plataforma não informa o motivo.',
  'Contact the platform’s support with these errors.':
    'Fale com o suporte da plataforma e envie estes erros.',
  'The platform could not authenticate this line’s access token.':
    'A plataforma não conseguiu autenticar o token de acesso desta linha.',
  'The platform was asked without an access token.': 'A plataforma foi consultada sem token de acesso.',
  'The line’s access token of the platform has expired or was revoked.':
    'O token de acesso da plataforma desta linha expirou ou foi revogado.',
  'The platform denies this line the access it needs.':
    'A plataforma nega a esta linha o acesso de que precisa.',
  'The business account is restricted, because it violated a policy of the platform.':
    'A conta comercial está restrita porque violou uma política da plataforma.',
  'The business account may not write to people in this country.':
    'A conta comercial não pode escrever a pessoas neste país.',
  'Check the country restrictions of your kind of business in the WhatsApp Business Messaging Policy.':
    'Consulte as restrições por país do seu tipo de negócio na WhatsApp Business Messaging Policy.',
  'The business account is locked, because it violated a policy or its data could not be verified.':
    'A conta comercial está bloqueada porque violou uma política ou porque seus dados não puderam ser verificados.',
  'The display name of the line’s number is not approved.':
    'O nome de exibição do número da linha não está aprovado.',
  'Have the display name approved in WhatsApp Manager.':
    'Peça a aprovação do nome de exibição no WhatsApp Manager.',
  'Something is wrong with the payment method of the business account.':
    'Há um problema com a forma de pagamento da conta comercial.',
  'Check payment method, credit line, currency and time zone of the account in WhatsApp Manager.':
    'Verifique a forma de pagamento, a linha de crédito, a moeda e o fuso horário da conta no WhatsApp Manager.',
  'Something is wrong with the payment method of the business account, so that no call can be made.':
    'Há um problema com a forma de pagamento da conta comercial, por isso nenhuma ligação pode ser feita.',
  'Check payment method and credit line of the account in WhatsApp Manager.':
    'Verifique a forma de pagamento e a linha de crédito da conta no WhatsApp Manager.',
  'The line’s number could not be used, because its registration is not in order.':
    'O número da linha não pôde ser usado porque seu registro não está em ordem.',
  'The business account is in maintenance, perhaps because it is moving to another throughput.':
    'A conta comercial está em manutenção, talvez por estar mudando de capacidade de envio.',
  'The account has reached its messaging limit, because templates were filed under a wrong category.':
    'A conta atingiu o limite de mensagens porque modelos foram classificados na categoria errada.',
  'Correct the categories of its templates, and send again when the limit is raised.':
    'Corrija as categorias dos modelos e envie de novo quando o limite subir.',
  'The terms of WhatsApp Payments have not been accepted for this account.':
    'Os termos do WhatsApp Payments não foram aceitos para esta conta.',
  'Accept the terms by the link that the platform gives.':
    'Aceite os termos pelo link que a plataforma fornece.',
  'The business account is in maintenance for the moment.':
    'A conta comercial está em manutenção no momento.',
  'The app has made more calls to the platform than it may.':
    'O app fez mais chamadas à plataforma do que pode.',
  'More calls of this kind were made to the platform than are allowed.':
    'Foram feitas mais chamadas deste tipo à plataforma do que o permitido.',
  'The business account has reached its limit of changes at the platform, such as new templates.':
    'A conta comercial atingiu o seu limite de mudanças na plataforma, por exemplo de modelos novos.',
  'The business account has reached its limit of calls to the platform.':
    'A conta comercial atingiu o limite de chamadas à plataforma.',
  'The line sends more messages a second than the platform lets it.':
    'A linha envia mais mensagens por segundo do que a plataforma permite.',
  'The platform limits what this number may send, because too many of its messages were blocked or reported.':
    'A plataforma limita o que este número pode enviar porque muitas de suas mensagens foram bloqueadas ou denunciadas.',
  'Look at the quality rating of the number, and write only to people who expect it until it recovers.':
    'Veja a avaliação de qualidade do número e, até ela se recuperar, escreva só a quem espera suas mensagens.',
  'Too many messages were sent to this one contact in a short time.':
    'Mensagens demais foram enviadas a este contato em pouco tempo.',
  'The number was registered or deregistered too often in a short time.':
    'O número foi registrado ou teve o registro cancelado vezes demais em pouco tempo.',
  'Wait three days before the number is registered again.':
    'Espere três dias antes de registrar o número de novo.',
  'The platform failed at an unknown place, or did not understand the request.':
    'A plataforma falhou em um ponto desconhecido ou não entendeu a requisição.',
  'The platform could not send this message, and does not know why; often a parameter is wrong.':
    'A plataforma não conseguiu enviar esta mensagem e não sabe por quê; muitas vezes um parâmetro está errado.',
  'The line’s number has been deleted by the platform.': 'O número da linha foi excluído pela plataforma.',
  'Check the phone number id of this line.': 'Verifique o ID do número de telefone desta linha.',
  'A field is not known, misspelled or has a wrong value.':
    'Um campo é desconhecido, está mal escrito ou tem um valor errado.',
  'A field that this message needs is missing.': 'Falta um campo de que esta mensagem precisa.',
  'A field has a value that the platform does not accept.':
    'Um campo tem um valor que a plataforma não aceita.',
  'The platform does not support messages of this type.': 'A plataforma não aceita mensagens deste tipo.',
  'Send another type of message.': 'Envie outro tipo de mensagem.',
  'This kind of message cannot be sent in this way: only marketing templates can.':
    'Este tipo de mensagem não pode ser enviado assim: só modelos de marketing podem.',
  'Send it as a marketing template, or in the ordinary way.':
    'Envie como modelo de marketing, ou do modo comum.',
  'Only marketing templates can be sent in this way.': 'Só modelos de marketing podem ser enviados assim.',
  'Send a marketing template, or send this one in the ordinary way.':
    'Envie um modelo de marketing, ou envie este do modo comum.',
  'Your business has blocked this contact.': 'Sua empresa bloqueou este contato.',
  'Unblock the contact to write to it again.': 'Desbloqueie o contato para voltar a escrever a ele.',
  'The platform keeps marketing messages from this contact as part of an experiment.':
    'A plataforma retém mensagens de marketing para este contato como parte de um experimento.',
  'Do not send it again. Once the contact writes to you, messages reach it.':
    'Não envie de novo. Quando o contato escrever a você, as mensagens chegam a ele.',
  'The message was addressed to the line’s own number.':
    'A mensagem foi endereçada ao próprio número da linha.',
  'Send it to another number.': 'Envie a outro número.',
  'The message cannot be delivered: the number may not use WhatsApp, may not have accepted its terms, or may use too old a version.':
    'A mensagem não pode ser entregue: talvez o número não use o WhatsApp, não tenha aceitado os termos ou use uma versão antiga demais.',
  'Check the number; ask its owner by another way to update WhatsApp, or to write to you first.':
    'Verifique o número; peça ao dono, por outro meio, que atualize o WhatsApp ou que escreva a você primeiro.',
  'A test number may only write to the recipients on its list.':
    'Um número de teste só pode escrever aos destinatários da sua lista.',
  'Add the recipient to the list of the test number, or send from a number of your own.':
    'Adicione o destinatário à lista do número de teste ou envie de um número próprio.',
  'More than 24 hours have passed since the contact last wrote to this line.':
    'Passaram mais de 24 horas desde que o contato escreveu a esta linha pela última vez.',
  'The platform did not deliver this marketing message, because the contact gets too many of them.':
    'A plataforma não entregou esta mensagem de marketing porque o contato recebe muitas delas.',
  'Do not send it again at once; try in a day or later, or when the contact has written.':
    'Não envie de novo na hora; tente em um dia ou mais, ou quando o contato tiver escrito.',
  'The contact has stopped marketing messages of your business.':
    'O contato bloqueou as mensagens de marketing da sua empresa.',
  'Send it no more marketing; other templates and answers still reach it.':
    'Não envie mais marketing a ele; outros modelos e respostas ainda chegam.',
  'This message cannot be sent to a user id.': 'Esta mensagem não pode ser enviada a um id de usuário.',
  'Send it to the phone number; authentication templates always need one.':
    'Envie ao número de telefone; modelos de autenticação sempre precisam de um.',
  'The contact’s identity differs from the one in the message.':
    'A identidade do contato não é aquela a quem a mensagem se destinava.',
  'Confirm by another way who uses the number now, then send with the new identity hash.':
    'Confirme por outro meio quem usa o número agora e envie com o novo hash de identidade.',
  'The platform could not fetch the media.': 'A plataforma não conseguiu obter a mídia.',
  'Check that the link opens for everybody, without a log-in, and gives the right Content-Type.':
    'Verifique se o link abre para qualquer um, sem login, e informa o Content-Type certo.',
  'The platform could not take the media: its type, its size or its content is not supported.':
    'A plataforma não aceitou a mídia: o tipo, o tamanho ou o conteúdo não é suportado.',
  'Check type and size of the file, and its Content-Type where it is linked.':
    'Verifique o tipo e o tamanho do arquivo, e o Content-Type se for um link.',
  'Marketing templates are switched off for this way of sending.':
    'Modelos de marketing estão desativados para este modo de envio.',
  'Send them by the Marketing Messages API, or change that setting of the business account.':
    'Envie pela Marketing Messages API ou mude essa configuração da conta comercial.',
  'The number of parameters is not the one that the template has.':
    'A quantidade de parâmetros não é a que o modelo tem.',
  'There is no approved template of this name in this language.':
    'Não há modelo aprovado com este nome neste idioma.',
  'Check name and language, and that the template is approved.':
    'Verifique o nome e o idioma, e se o modelo está aprovado.',
  'With its parameters filled in, the text of the template is too long.':
    'Com os parâmetros preenchidos, o texto do modelo fica longo demais.',
  'Send shorter parameters.': 'Envie parâmetros mais curtos.',
  'The template violates a policy of WhatsApp.': 'O modelo viola uma política do WhatsApp.',
  'A parameter of the template has a wrong form.': 'Um parâmetro do modelo tem formato errado.',
  'The template is paused, because of its low quality.':
    'O modelo está em pausa por causa da baixa qualidade.',
  'Send another template, or edit this one to raise its quality.':
    'Envie outro modelo, ou edite este para melhorar a qualidade.',
  'The template was paused too often for its low quality, and is now disabled for good.':
    'O modelo foi pausado vezes demais pela baixa qualidade e agora está desativado de vez.',
  'Make a new template with another text.': 'Crie um novo modelo com outro texto.',
  'The parameters of the template are not valid.': 'Os parâmetros do modelo não são válidos.',
  'The flow of this message is blocked.': 'O fluxo desta mensagem está bloqueado.',
  'Correct the flow in WhatsApp Manager.': 'Corrija o fluxo no WhatsApp Manager.',
  'The flow of this message is throttled: ten messages with it went out in the last hour.':
    'O fluxo desta mensagem está limitado: dez mensagens com ele saíram na última hora.',
  'Correct the flow in WhatsApp Manager, or wait an hour.':
    'Corrija o fluxo no WhatsApp Manager ou espere uma hora.',
  'The template is new, and the platform is still making it ready.':
    'O modelo é novo, e a plataforma ainda o está preparando.',
  'Send it again in ten minutes.': 'Envie de novo em dez minutos.',
  'The template cannot be used at the moment.': 'O modelo não pode ser usado no momento.',
  'The account has as many templates as it may have.': 'A conta já tem todos os modelos que pode ter.',
  'Delete templates that are no longer used.': 'Exclua modelos que não são mais usados.',
  'A template with this name was deleted, and the name is locked for some time.':
    'Um modelo com este nome foi excluído, e o nome fica bloqueado por algum tempo.',
  'Choose another name.': 'Escolha outro nome.',
  'A template with this name already exists in this language.':
    'Já existe um modelo com este nome neste idioma.',
  'Edit it, or choose another name.': 'Edite-o ou escolha outro nome.',
  'The template has a field that is not possible there.': 'O modelo tem um campo que não é possível ali.',
  'The template lacks a field, such as a sample.': 'Falta um campo no modelo, como um exemplo.',
  'The name of the template has other characters than lowercase letters, digits and underscores.':
    'O nome do modelo tem caracteres que não são letras minúsculas, dígitos ou sublinhados.',
  'A button of the template has variables, emojis or formatting in its text.':
    'Um botão do modelo tem variáveis, emojis ou formatação no texto.',
  'The name of the template belongs to a sample template of the platform.':
    'O nome do modelo pertence a um modelo de amostra da plataforma.',
  'The template does not exist: it was deleted, or its name is another.':
    'O modelo não existe: foi excluído ou tem outro nome.',
  'Read the list of templates, and use a name from it.': 'Leia a lista de modelos e use um nome dela.',
  'The template cannot be changed to this state.': 'O modelo não pode passar a este estado.',
  'A field of the template is too long.': 'Um campo do modelo é longo demais.',
  'The header of the template has a wrong form.': 'O cabeçalho do modelo tem formato errado.',
  'The body of the template has a wrong form.': 'O corpo do modelo tem formato errado.',
  'The footer of the template has a wrong form.': 'O rodapé do modelo tem formato errado.',
  'The template has too many variables for so few words.':
    'O modelo tem variáveis demais para tão poucas palavras.',
  'The template begins or ends with a variable.': 'O modelo começa ou termina com uma variável.',
  'The number could not be deregistered completely before.':
    'O registro do número não pôde ser cancelado por completo antes.',
  'Deregister the number again, then register it.':
    'Cancele o registro do número de novo e depois registre-o.',
  'The PIN of two-step verification is wrong.': 'O PIN da verificação em duas etapas está errado.',
  'Register the number with the right PIN, or reset it in WhatsApp Manager.':
    'Registre o número com o PIN certo ou redefina-o no WhatsApp Manager.',
  'The line’s number has to be verified before it is registered.':
    'O número da linha precisa ser verificado antes de ser registrado.',
  'Verify the number in WhatsApp Manager.': 'Verifique o número no WhatsApp Manager.',
  'A wrong PIN was given too often.': 'Um PIN errado foi informado vezes demais.',
  'Wait as long as the platform says.': 'Espere o tempo que a plataforma indica.',
  'The PIN was given too soon after the last time.': 'O PIN foi informado cedo demais depois da última vez.',
  'The line’s number is not registered with the platform.':
    'O número da linha não está registrado na plataforma.',
  'The number was deleted a moment ago, and the platform is still at it.':
    'O número foi excluído há pouco, e a plataforma ainda está concluindo isso.',
  'Wait five minutes, then register it.': 'Espere cinco minutos e registre-o.',
  'No verification code could be sent.': 'Não foi possível enviar um código de verificação.',
  'The verification code is wrong.': 'O código de verificação está errado.',
  'Ask for a new code.': 'Peça um novo código.',
  'This account has already been invited.': 'Esta conta já foi convidada.',
  'Continue with the first invitation.': 'Continue com o primeiro convite.',
  'The number has already been moved to this account.': 'O número já foi movido para esta conta.',
  'Nothing has to be done.': 'Não é preciso fazer nada.',
  'The number cannot be verified at the moment.': 'O número não pode ser verificado no momento.',
  'The number cannot be moved to this account.': 'O número não pode ser movido para esta conta.',
  'The number was synchronised as often as it may be.':
    'O número já foi sincronizado tantas vezes quanto é permitido.',
  'The time in which the number could be synchronised has passed.':
    'O prazo para sincronizar o número passou.',
  'Add the number to the platform again.': 'Adicione o número à plataforma de novo.',
  'Calls are not switched on for the line’s number.':
    'As ligações não estão ativadas para o número da linha.',
  'Switch calls on in its settings.': 'Ative as ligações nas configurações dele.',
  'The contact cannot take calls.': 'O contato não pode receber ligações.',
  'Send a message instead.': 'Envie uma mensagem no lugar.',
  'The number has as many calls at once as it may have.':
    'O número já tem todas as ligações simultâneas que pode ter.',
  'There is a call with this contact already.': 'Já há uma ligação com este contato.',
  'Wait until it ends.': 'Espere que termine.',
  'The call could not be connected.': 'A ligação não pôde ser completada.',
  'The number has made as many calls as it may make.': 'O número já fez todas as ligações que pode fazer.',
  'The contact has not permitted calls.': 'O contato não permitiu ligações.',
  'Ask for the permission to call first.': 'Peça primeiro a permissão para ligar.',
  'The call was not connected in time.': 'A ligação não foi completada a tempo.',
  'The contact was asked for the permission to call as often as is allowed.':
    'A permissão para ligar já foi pedida ao contato tantas vezes quanto é permitido.',
  'The contact was called as often as is allowed in 24 hours.':
    'O contato já foi chamado tantas vezes quanto é permitido em 24 horas.',
  'The permission to call was looked up as often as is allowed.':
    'A permissão para ligar já foi consultada tantas vezes quanto é permitido.',
  'Calls cannot be switched on, because something that they need is not set up.':
    'As ligações não podem ser ativadas porque falta configurar algo de que precisam.',
  'Set up SIP, or subscribe an app to the webhook field "calls".':
    'Configure o SIP ou inscreva um app no campo de webhook "calls".',
  'A group with one member takes no messages.': 'Um grupo com um só membro não recebe mensagens.',
  'Invite somebody to the group.': 'Convide alguém para o grupo.',
  'There is no such group, or the line is not in it.': 'Esse grupo não existe ou a linha não está nele.',
  'The list was read on from a place that has expired.': 'A lista foi lida a partir de um ponto que expirou.',
  'Read the list again from its start.': 'Leia a lista de novo desde o começo.',
  'Not everybody in the request could be changed.': 'Nem todos na requisição puderam ser alterados.',
  'The request names somebody twice.': 'Alguém aparece duas vezes na requisição.',
  'The group would have more members than it may have.': 'O grupo teria mais membros do que pode ter.',
  'The group is suspended, because it violates a policy of the platform.':
    'O grupo está suspenso porque viola uma política da plataforma.',
  'The number has changed groups too often in a short time.':
    'O número alterou grupos vezes demais em pouco tempo.',
  'The picture of a group must be as wide as high.': 'A imagem de um grupo precisa ser quadrada.',
  'Send a square picture.': 'Envie uma imagem quadrada.',
  'The picture of a group must be larger than 192 pixels.':
    'A imagem de um grupo precisa ter mais de 192 pixels.',
  'Send a larger picture.': 'Envie uma imagem maior.',
  'The number has as many groups as it may have.': 'O número já tem todos os grupos que pode ter.',
  'Somebody in the request is not in the group.': 'Alguém na requisição não está no grupo.',
  'There is no such request to join the group.': 'Não existe esse pedido para entrar no grupo.',
  'New groups are switched off for the account, because it sent too much marketing.':
    'Novos grupos estão desativados para a conta porque ela enviou marketing demais.',
  'Groups are not available to the line’s number.': 'Grupos não estão disponíveis para o número da linha.',
  'The platform lets this account make no flows, because of its integrity.':
    'A plataforma não deixa esta conta criar fluxos, por causa da integridade dela.',
  'The flow could not be changed.': 'O fluxo não pôde ser alterado.',
  'The flow could not be published.': 'O fluxo não pôde ser publicado.',
  'The flow could not be deprecated.': 'O fluxo não pôde ser descontinuado.',
  'The flow could not be deleted.': 'O fluxo não pôde ser excluído.',
  'Not every contact could be blocked or unblocked.':
    'Nem todos os contatos puderam ser bloqueados ou desbloqueados.',
  'The list of blocked contacts is full.': 'A lista de contatos bloqueados está cheia.',
  'Unblock contacts that need not be blocked.': 'Desbloqueie contatos que não precisam estar bloqueados.',
  'The list of blocked contacts changed while it was read.':
    'A lista de contatos bloqueados mudou durante a leitura.',
  'Read it again from its start.': 'Leia de novo desde o começo.',
  'Ask less often, and try again in a few minutes.':
    'Pergunte com menos frequência e tente de novo em alguns minutos.',
  'Try again in a few minutes.': 'Tente de novo em alguns minutos.',
  'Try again. If it fails again, ask the platform’s support, with the errors as they came.':
    'Tente de novo. Se falhar outra vez, fale com o suporte da plataforma e envie os erros como chegaram.',
  'Correct the field that the platform names, and try again.':
    'Corrija o campo que a plataforma indica e tente de novo.',
  'Register the line’s number in WhatsApp Manager.': 'Registre o número da linha no WhatsApp Manager.',
  'Fix what the platform reports, or contact its support with these errors.':
    'Corrija o que a plataforma informa ou fale com o suporte dela e envie estes erros.',
  'The file was handed to the platform, which did not answer.':
    'O arquivo foi entregue à plataforma, que não respondeu.',
  'Upload it again: the platform deletes a file that no message uses after 30 days.':
    'Envie-o de novo: a plataforma apaga depois de 30 dias um arquivo que nenhuma mensagem usa.',
  'Use another template, or wait.': 'Use outro modelo, ou espere.',
  'Choose an approved template.': 'Escolha um modelo aprovado.',
  '{contact} has never written to this line.': '{contact} nunca escreveu a esta linha.',
  'it has more requests than it can answer in time': 'há mais requisições do que consegue responder a tempo',
  'its disk is almost full': 'o disco está quase cheio',
  'its database is slower than what arrives': 'o banco de dados é mais lento do que aquilo que chega',

  'Draft not found': 'Rascunho não encontrado',
  'There is no such draft.': 'Este rascunho não existe.',
  'It may have been deleted. Open the list of drafts.':
    'Talvez tenha sido excluído. Abra a lista de rascunhos.',
  'Draft changed': 'Rascunho alterado',
  'Nothing was overwritten. Read the saved draft before you save yours.':
    'Nada foi sobrescrito. Leia o rascunho salvo antes de salvar o seu.',
  'The draft cannot be submitted there: the language or the business account is not one of its own.':
    'O rascunho não pode ser enviado para lá: o idioma ou a conta comercial não é dele.',
  'Open the draft again, and choose from what it shows.':
    'Abra o rascunho de novo e escolha entre o que ele mostra.',
  'Password log-in is off': 'O login com senha está desativado',
  'Only owners can log in with a password here.': 'Aqui só os proprietários podem entrar com senha.',
  'Choose the provider of your company on the log-in page.':
    'Escolha o provedor da sua empresa na página de login.',
  'Provider not available': 'Provedor indisponível',
  '{provider} cannot be reached, or its settings in the gateway are wrong.':
    'Não foi possível acessar {provider}, ou a configuração dele no gateway está errada.',
  'Try again in a moment, or log in with a password.': 'Tente de novo daqui a pouco ou entre com uma senha.',
  'Log-in not completed': 'Login não concluído',
  'The log-in at {provider} was not completed, took too long, or was used before.':
    'O login em {provider} não foi concluído, demorou demais ou já foi usado.',
  'Start again from the log-in page.': 'Comece de novo na página de login.',
  'No access': 'Sem acesso',
  'You are logged in at {provider}, but have no access to this gateway.':
    'Você entrou em {provider}, mas não tem acesso a este gateway.',
  'Ask an owner of this gateway for access.': 'Peça acesso a um proprietário deste gateway.',
  'Already linked': 'Já vinculada',
  'This account at {provider} is already linked to a user.':
    'Esta conta de {provider} já está vinculada a um usuário.',
  'Log in with another account there, or remove that link first.':
    'Entre lá com outra conta ou remova antes esse vínculo.',
  'You are already linked to an account at {provider}.': 'Você já está vinculado a uma conta de {provider}.',
  'Remove that link first.': 'Remova antes esse vínculo.',
  'Last way to log in': 'Última forma de entrar',
  'This is your only way to log in.': 'Esta é a sua única forma de entrar.',
  'Ask an owner for a link to set a password first.':
    'Peça antes a um proprietário um link para definir uma senha.',
};
