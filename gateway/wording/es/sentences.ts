/** API sentences shown on pages, by their English text. */
export const sentences: Record<string, string> = {
  'Rate limit hit': 'Límite de envío alcanzado',
  '(Business Account, Consumer Account) pair rate limit hit': 'Límite por contacto alcanzado',
  'Line without platform credentials': 'Línea sin credenciales de la plataforma',
  'Contact opted out': 'El contacto se dio de baja',
  'Line deactivated': 'Línea desactivada',
  'Too many registrations': 'Demasiados registros',
  'Re-engagement message': 'Fuera de la ventana de 24 horas',
  'Your role does not allow this': 'Su rol no permite esto',
  'Users can change only what their role covers, and only other users whose role is not above their own.':
    'Los usuarios solo pueden cambiar lo que abarca su rol, y solo a otros usuarios cuyo rol no esté por encima del suyo.',
  'Ask an owner of this gateway to do it.': 'Pida a un propietario de este gateway que lo haga.',
  'User not found': 'Usuario no encontrado',
  'There is no such user. It may have been removed.': 'Ese usuario no existe. Puede que se haya eliminado.',
  'Authenticator app required': 'App de autenticación obligatoria',
  'The authenticator app can’t be switched off, because the gateway or a customer requires one.':
    'La app de autenticación no se puede desactivar, porque el gateway o un cliente la exige.',
  'Set up the app on another phone instead: ask an owner to reset your password.':
    'Configure la app en otro teléfono: pida a un propietario que restablezca su contraseña.',
  'Invitation not found': 'Invitación no encontrada',
  'There is no such invitation. It may have been accepted or revoked.':
    'No existe esa invitación. Puede que se haya aceptado o revocado.',
  'This invitation doesn’t work': 'Esta invitación no funciona',
  'It was accepted, renewed or revoked, is older than 72 hours, or the link is incomplete.':
    'Se aceptó, se renovó o se revocó, tiene más de 72 horas, o el enlace está incompleto.',
  'Ask the person who invited you for another invitation.': 'Pida otra invitación a quien le invitó.',
  'This invitation no longer applies': 'Esta invitación ya no vale',
  'The person who sent it may no longer give this role, or the customer no longer exists.':
    'Quien la envió ya no puede dar este rol, o el cliente ya no existe.',
  'Ask an owner of this gateway for another invitation.':
    'Pida otra invitación a un propietario de este gateway.',
  'Last owner with a password': 'Último propietario con contraseña',
  'No other owner has a password, so nobody could manage the gateway after this change.':
    'Ningún otro propietario tiene contraseña; después de este cambio, nadie podría administrar el gateway.',
  'Add another owner first, who chooses a password. If the password is lost, set a new one with "user reset NAME --password-file FILE".':
    'Antes, agregue otro propietario, que elija una contraseña. Si se perdió la contraseña, defina otra con "user reset NOMBRE --password-file ARCHIVO".',
  'Last role of the user': 'Último rol del usuario',
  'This is the only role of the user.': 'Este es el único rol del usuario.',
  'Remove the user instead, or give another role first.': 'Elimine el usuario o dele antes otro rol.',
  'Customer in use': 'Cliente en uso',
  'This customer still has lines: {lines}.': 'Este cliente todavía tiene líneas: {lines}.',
  'This customer still has users: {users}.': 'Este cliente todavía tiene usuarios: {users}.',
  'This customer still has lines ({lines}) and users ({users}).':
    'Este cliente todavía tiene líneas ({lines}) y usuarios ({users}).',
  'Move or remove them first.': 'Primero muévalos o elimínelos.',
  'Older process running': 'Proceso anterior en ejecución',
  'A process of an earlier version is still running, which knows no customers and would show users everything.':
    'Todavía se ejecuta un proceso de una versión anterior, que no conoce clientes y mostraría todo a los usuarios.',
  'Upgrade or stop it, then try again.': 'Actualícelo o deténgalo e inténtelo de nuevo.',
  'Customer suspended': 'Cliente suspendido',
  'The customer of this line is suspended.': 'El cliente de esta línea está suspendido.',
  'Ask the operator of the gateway.': 'Consulte al operador del gateway.',
  'Your access is suspended.': 'Su acceso está suspendido.',
  'Try again in {wait}.': 'Inténtalo de nuevo en {wait}.',
  'This asks the platform for something that is not kept here, and the platform lets a business account ask only so often.':
    'Esto pregunta a la plataforma algo que no se guarda aquí, y la plataforma limita cuántas veces puede preguntar una cuenta de empresa.',
  'Try again in {wait}, or ask less often.': 'Inténtalo de nuevo en {wait} o pregunta con menos frecuencia.',
  '{first} (and {count} more: see error_data.fields)': '{first} (y {count} más)',
  'Template {name} ({language}) is paused by the platform because of its low quality.':
    'La plataforma pausó la plantilla {name} ({language}) por su baja calidad.',
  "Template {name} ({language}) cannot be sent: the platform's status for it is {word}.":
    'La plantilla {name} ({language}) no se puede enviar: en la plataforma su estado es {word}.',
  '{contact} last wrote to this line {time} ago.':
    '{contact} escribió por última vez a esta línea hace {time}.',
  'This line is deactivated.': 'Esta línea está desactivada.',
  'Activate it again in the gateway.': 'Actívela de nuevo para continuar.',
  'Too many log-ins': 'Demasiados inicios de sesión',
  'There were too many wrong passwords or codes.': 'Hubo demasiadas contraseñas o códigos incorrectos.',
  'This line sends up to {rate} messages a second, and {burst} at once. Nothing was sent.':
    'Esta línea envía hasta {rate} mensajes por segundo, y {burst} de una vez. No se envió nada.',
  'Send it again in {wait}, and more slowly. The operator of the gateway can change this limit with GATEWAY_LINE_RATE.':
    'Envíelo de nuevo en {wait}, y más despacio. Quien administra el gateway puede cambiar este límite con GATEWAY_LINE_RATE.',
  'One contact gets up to {limit} messages at once from this line, then one every 6 seconds. Nothing was sent.':
    'Un contacto recibe hasta {limit} mensajes de una vez de esta línea, después uno cada 6 segundos. No se envió nada.',
  'Send to {contact} again in {wait}; other contacts need not wait. The operator of the gateway can change this limit with GATEWAY_PAIR_LIMIT.':
    'Envíe de nuevo a {contact} en {wait}; otros contactos no tienen que esperar. Quien administra el gateway puede cambiar este límite con GATEWAY_PAIR_LIMIT.',
  'Too many transfers at the same time': 'Demasiadas transferencias al mismo tiempo',
  'This line has {limit} uploads and downloads under way, which is as many as it may have at the same time. Nothing was transferred.':
    'Esta línea tiene {limit} subidas y descargas en curso, el máximo al mismo tiempo. No se transfirió nada.',
  'Wait until one of them has ended, or try again in {wait}.':
    'Espere a que termine una de ellas o vuelva a intentarlo en {wait}.',
  'Line quality too low': 'Calidad de la línea demasiado baja',
  'The platform rates this line LOW, because recipients blocked or reported it. Nothing was sent.':
    'La plataforma valora esta línea como baja, porque hubo destinatarios que la bloquearon o la denunciaron. No se envió nada.',
  'Wait until its rating has recovered, then send again.':
    'Espere a que se recupere su valoración y envíe de nuevo.',
  'Line not rated yet': 'Línea aún sin calificar',
  'The platform has not rated this line yet, and it is set to "strict", which sends with HIGH or MEDIUM only.':
    'La plataforma aún no valoró esta línea, y está en "estricto", que solo envía con calidad alta o media.',
  'Set its quality check to "normal" to send before the first rating.':
    'Cambie el control de calidad a "normal" para enviar antes de la primera valoración.',
  'File too large': 'Archivo demasiado grande',
  'The file is larger than {limit}, the limit for {of}.':
    'El archivo es mayor que {limit}, el límite para {of}.',
  'Make it smaller, then upload it again.': 'Redúzcalo y súbalo de nuevo.',
  'The file is empty.': 'El archivo está vacío.',
  'A file of type {type} cannot be uploaded. Possible: {possible}.':
    'No se puede subir un archivo de tipo {type}. Posibles: {possible}.',
  'The file is {found}. Possible types: {possible}.': 'El archivo es {found}. Tipos posibles: {possible}.',
  'The file is declared as {declared}, but it is {found}. Give it its own type, or send another file.':
    'El archivo está declarado como {declared}, pero es {found}. Declare el tipo correcto o envíe otro archivo.',
  'Template not approved': 'Plantilla no aprobada',
  'Send an approved template instead.': 'Envíe en su lugar una plantilla aprobada.',
  'Budget reached': 'Presupuesto agotado',
  'The monthly budget of this customer is used up. Marketing templates are not sent until the next month. Nothing was sent.':
    'El presupuesto mensual de este cliente se ha agotado. Las plantillas de marketing no se envían hasta el próximo mes. No se envió nada.',
  'Send other messages as usual. The operator of the gateway can raise the budget.':
    'Envíe otros mensajes como siempre. Quien administra el gateway puede aumentar el presupuesto.',
  '{contact} wants no more messages from this line. Nothing was sent.':
    '{contact} no quiere más mensajes de esta línea. No se envió nada.',
  'Remove them from your own list as well. Messages are sent again if they write a word to come back, or if you remove them from the opt-out list of the line in the control panel.':
    'Quítelo también de su propia lista. Cuando escriba una palabra para volver, o se le quite de la lista de bajas de la línea en el panel de control, los mensajes vuelven a salir.',
  'Service temporarily unavailable': 'Servicio no disponible temporalmente',
  'First request still in progress': 'La primera solicitud sigue en curso',
  'The first request with this Idempotency-Key has not been answered yet.':
    'La primera solicitud con esta Idempotency-Key aún no se ha respondido.',
  'Ask again in a moment to get its answer.': 'Vuelva a intentarlo en un momento para obtener la respuesta.',
  'The gateway has no access token of the platform for this line.':
    'El gateway no tiene token de acceso de la plataforma para esta línea.',
  'Enter it in the control panel (Lines, Settings), or with "messaging-gateway line edit TID --access-token-file FILE".':
    'Indíquelo en el panel de control (Líneas, Ajustes) o con "messaging-gateway line edit TID --access-token-file FILE".',
  'This line has {most} destinations, and each event goes to all of them.':
    'Esta línea tiene {most} destinos, y cada evento va a todos ellos.',
  "Remove one that is no longer used: they are on the line's page in the control panel.":
    'Elimine uno que ya no se use: están en la página de la línea en el panel de control.',
  'The database of the gateway cannot be used at the moment. Nothing was sent.':
    'La base de datos del gateway no se puede usar por el momento. No se envió nada.',
  'Try again in a moment.': 'Inténtelo de nuevo en un momento.',
  'The gateway accepts nothing new at the moment: {because}. Nothing was sent or kept.':
    'El gateway no acepta nada nuevo por el momento: {because}. No se envió ni se guardó nada.',
  'The message was handed to the platform, which did not answer. It may have been sent.':
    'El mensaje se entregó a la plataforma, que no respondió. Es posible que se haya enviado.',
  'Wait for its status before you send it again.': 'Espere su estado antes de volver a enviarlo.',
  'Something between the gateway and the platform answered in its place.':
    'Algo entre el gateway y la plataforma respondió en su lugar.',
  'Try again in a moment; if it was a message, it may have been sent: wait for its status first.':
    'Vuelva a intentarlo en un momento; si era un mensaje, es posible que se haya enviado: espere primero su estado.',
  'Check the id. A file is found by the line that has it alone: 30 days after its upload, 7 days after a contact sent it.':
    'Revise el ID. Solo la línea que tiene el archivo lo encuentra: hasta 30 días después de subirlo, hasta 7 días después de que un contacto lo envió.',
  'Check the line’s phone number id and business account id, and that its access token of the platform has whatsapp_business_messaging and whatsapp_business_management for them.':
    'Revise los ID del número y de la cuenta de empresa de la línea, y que su token de acceso de la plataforma tenga whatsapp_business_messaging y whatsapp_business_management para ellos.',
  'Platform unreachable': 'Plataforma inaccesible',
  'The platform cannot be reached. Nothing was sent.':
    'No se puede acceder a la plataforma. No se envió nada.',
  'Platform declined': 'La plataforma no aceptó',
  'The platform did not do what it was asked to, and did not say why.':
    'La plataforma no hizo lo que se le pidió y no dijo por qué.',
  'Platform did not answer': 'La plataforma no respondió',
  'Store a new access token of the platform for this line.':
    'Guarde un nuevo token de acceso de la plataforma para esta línea.',
  'Check in the access token debugger that the line’s token of the platform has whatsapp_business_messaging and whatsapp_business_management.':
    'Compruebe en el depurador de tokens de acceso que el token de la plataforma de esta línea tiene whatsapp_business_messaging y whatsapp_business_management.',
  'Send more slowly, and try this message again in a few minutes.':
    'Envíe más despacio e intente este mensaje de nuevo en unos minutos.',
  'Send it again in a few minutes.': 'Envíelo de nuevo en unos minutos.',
  'Open WhatsApp Manager and resolve what it shows for this business account.':
    'Abra el WhatsApp Manager y resuelva lo que muestra para esta cuenta de empresa.',
  'Compare the parameters with the template as it was approved, and send again.':
    'Compare los parámetros con la plantilla tal como se aprobó y envíe de nuevo.',
  'Correct the template in WhatsApp Manager, and submit it again.':
    'Corrija la plantilla en el WhatsApp Manager y envíela de nuevo a aprobación.',
  'Correct the field that the platform names, and send again.':
    'Corrija el campo que indica la plataforma y envíe de nuevo.',
  'Register the line’s number in WhatsApp Manager, then send again.':
    'Registre el número de la línea en el WhatsApp Manager y envíe de nuevo.',
  'Read the group again, and correct the request by what it shows.':
    'Consulte el grupo de nuevo y corrija la petición según lo que muestre.',
  'The platform refuses the credentials of this line: a permission is missing or was taken away.':
    'La plataforma rechaza las credenciales de esta línea: falta un permiso o se retiró.',
  'The platform is out of order or overloaded for the moment.':
    'La plataforma está fuera de servicio o sobrecargada por el momento.',
  'The platform reports no reason.': 'La plataforma no indica el motivo.',
  'Contact the platform’s support with these errors.':
    'Contacte con el soporte de la plataforma y envíe estos errores.',
  'The platform could not authenticate this line’s access token.':
    'La plataforma no pudo autenticar el token de acceso de esta línea.',
  'The platform was asked without an access token.': 'Se consultó a la plataforma sin token de acceso.',
  'The line’s access token of the platform has expired or was revoked.':
    'El token de acceso de la plataforma de esta línea venció o fue revocado.',
  'The platform denies this line the access it needs.':
    'La plataforma niega a esta línea el acceso que necesita.',
  'The business account is restricted, because it violated a policy of the platform.':
    'La cuenta de empresa está restringida porque infringió una política de la plataforma.',
  'The business account may not write to people in this country.':
    'La cuenta de empresa no puede escribir a personas de este país.',
  'Check the country restrictions of your kind of business in the WhatsApp Business Messaging Policy.':
    'Consulte las restricciones por país de su tipo de negocio en la WhatsApp Business Messaging Policy.',
  'The business account is locked, because it violated a policy or its data could not be verified.':
    'La cuenta de empresa está bloqueada porque infringió una política o porque no se pudieron verificar sus datos.',
  'The display name of the line’s number is not approved.':
    'El nombre visible del número de la línea no está aprobado.',
  'Have the display name approved in WhatsApp Manager.':
    'Haga aprobar el nombre visible en el WhatsApp Manager.',
  'Something is wrong with the payment method of the business account.':
    'Hay un problema con el método de pago de la cuenta de empresa.',
  'Check payment method, credit line, currency and time zone of the account in WhatsApp Manager.':
    'Compruebe el método de pago, la línea de crédito, la moneda y la zona horaria de la cuenta en el WhatsApp Manager.',
  'Something is wrong with the payment method of the business account, so that no call can be made.':
    'Hay un problema con el método de pago de la cuenta de empresa, por eso no se puede hacer ninguna llamada.',
  'Check payment method and credit line of the account in WhatsApp Manager.':
    'Compruebe el método de pago y la línea de crédito de la cuenta en el WhatsApp Manager.',
  'The line’s number could not be used, because its registration is not in order.':
    'El número de la línea no se pudo usar porque su registro no está en orden.',
  'The business account is in maintenance, perhaps because it is moving to another throughput.':
    'La cuenta de empresa está en mantenimiento, quizá porque está cambiando de capacidad de envío.',
  'The account has reached its messaging limit, because templates were filed under a wrong category.':
    'La cuenta alcanzó su límite de mensajes porque hay plantillas en una categoría equivocada.',
  'Correct the categories of its templates, and send again when the limit is raised.':
    'Corrija las categorías de sus plantillas y envíe de nuevo cuando suba el límite.',
  'The terms of WhatsApp Payments have not been accepted for this account.':
    'No se aceptaron los términos de WhatsApp Payments para esta cuenta.',
  'Accept the terms by the link that the platform gives.':
    'Acepte los términos con el enlace que da la plataforma.',
  'The business account is in maintenance for the moment.':
    'La cuenta de empresa está en mantenimiento por el momento.',
  'The app has made more calls to the platform than it may.':
    'La app hizo más llamadas a la plataforma de las que puede.',
  'More calls of this kind were made to the platform than are allowed.':
    'Se hicieron más llamadas de este tipo a la plataforma de las permitidas.',
  'The business account has reached its limit of changes at the platform, such as new templates.':
    'La cuenta de empresa ha alcanzado su límite de cambios en la plataforma, por ejemplo de plantillas nuevas.',
  'The business account has reached its limit of calls to the platform.':
    'La cuenta de empresa alcanzó su límite de llamadas a la plataforma.',
  'The line sends more messages a second than the platform lets it.':
    'La línea envía más mensajes por segundo de los que permite la plataforma.',
  'The platform limits what this number may send, because too many of its messages were blocked or reported.':
    'La plataforma limita lo que este número puede enviar porque se bloquearon o denunciaron demasiados de sus mensajes.',
  'Look at the quality rating of the number, and write only to people who expect it until it recovers.':
    'Vea la valoración de calidad del número y, hasta que se recupere, escriba solo a quien lo espera.',
  'Too many messages were sent to this one contact in a short time.':
    'Se enviaron demasiados mensajes a este contacto en poco tiempo.',
  'The number was registered or deregistered too often in a short time.':
    'El número se registró o se dio de baja demasiadas veces en poco tiempo.',
  'Wait three days before the number is registered again.':
    'Espere tres días antes de registrar el número de nuevo.',
  'The platform failed at an unknown place, or did not understand the request.':
    'La plataforma falló en un punto desconocido o no entendió la petición.',
  'The platform could not send this message, and does not know why; often a parameter is wrong.':
    'La plataforma no pudo enviar este mensaje y no sabe por qué; a menudo un parámetro es incorrecto.',
  'The line’s number has been deleted by the platform.': 'La plataforma eliminó el número de la línea.',
  'Check the phone number id of this line.': 'Compruebe el ID del número de teléfono de esta línea.',
  'A field is not known, misspelled or has a wrong value.':
    'Un campo es desconocido, está mal escrito o tiene un valor incorrecto.',
  'A field that this message needs is missing.': 'Falta un campo que este mensaje necesita.',
  'A field has a value that the platform does not accept.':
    'Un campo tiene un valor que la plataforma no acepta.',
  'The platform does not support messages of this type.': 'La plataforma no admite mensajes de este tipo.',
  'Send another type of message.': 'Envíe otro tipo de mensaje.',
  'This kind of message cannot be sent in this way: only marketing templates can.':
    'Este tipo de mensaje no se puede enviar así: solo las plantillas de marketing.',
  'Send it as a marketing template, or in the ordinary way.':
    'Envíelo como plantilla de marketing, o del modo habitual.',
  'Only marketing templates can be sent in this way.':
    'Solo las plantillas de marketing se pueden enviar así.',
  'Send a marketing template, or send this one in the ordinary way.':
    'Envíe una plantilla de marketing, o envíe esta del modo habitual.',
  'Your business has blocked this contact.': 'Su empresa bloqueó a este contacto.',
  'Unblock the contact to write to it again.': 'Desbloquee al contacto para volver a escribirle.',
  'The platform keeps marketing messages from this contact as part of an experiment.':
    'La plataforma retiene los mensajes de marketing a este contacto como parte de un experimento.',
  'Do not send it again. Once the contact writes to you, messages reach it.':
    'No lo envíe de nuevo. Cuando el contacto le escriba, los mensajes le llegan.',
  'The message was addressed to the line’s own number.':
    'El mensaje iba dirigido al propio número de la línea.',
  'Send it to another number.': 'Envíelo a otro número.',
  'The message cannot be delivered: the number may not use WhatsApp, may not have accepted its terms, or may use too old a version.':
    'El mensaje no se puede entregar: puede que el número no use WhatsApp, no haya aceptado sus términos o use una versión demasiado antigua.',
  'Check the number; ask its owner by another way to update WhatsApp, or to write to you first.':
    'Compruebe el número; pida a su dueño, por otro medio, que actualice WhatsApp o que le escriba primero.',
  'A test number may only write to the recipients on its list.':
    'Un número de prueba solo puede escribir a los destinatarios de su lista.',
  'Add the recipient to the list of the test number, or send from a number of your own.':
    'Agregue el destinatario a la lista del número de prueba o envíe desde un número propio.',
  'More than 24 hours have passed since the contact last wrote to this line.':
    'Pasaron más de 24 horas desde que el contacto escribió a esta línea por última vez.',
  'The platform did not deliver this marketing message, because the contact gets too many of them.':
    'La plataforma no entregó este mensaje de marketing porque el contacto recibe demasiados.',
  'Do not send it again at once; try in a day or later, or when the contact has written.':
    'No lo envíe de nuevo enseguida; inténtelo en un día o más, o cuando el contacto haya escrito.',
  'The contact has stopped marketing messages of your business.':
    'El contacto detuvo los mensajes de marketing de su empresa.',
  'Send it no more marketing; other templates and answers still reach it.':
    'No le envíe más marketing; otras plantillas y respuestas sí le llegan.',
  'This message cannot be sent to a user id.': 'Este mensaje no se puede enviar a un id de usuario.',
  'Send it to the phone number; authentication templates always need one.':
    'Envíelo al número de teléfono; las plantillas de autenticación siempre necesitan uno.',
  'The contact’s identity differs from the one in the message.':
    'La identidad del contacto no es aquella a la que iba dirigido el mensaje.',
  'Confirm by another way who uses the number now, then send with the new identity hash.':
    'Confirme por otro medio quién usa el número ahora y envíe con el nuevo hash de identidad.',
  'The platform could not fetch the media.': 'La plataforma no pudo obtener el archivo.',
  'Check that the link opens for everybody, without a log-in, and gives the right Content-Type.':
    'Compruebe que el enlace se abra para cualquiera, sin iniciar sesión, y dé el Content-Type correcto.',
  'The platform could not take the media: its type, its size or its content is not supported.':
    'La plataforma no aceptó el archivo: su tipo, su tamaño o su contenido no se admite.',
  'Check type and size of the file, and its Content-Type where it is linked.':
    'Compruebe el tipo y el tamaño del archivo, y su Content-Type si es un enlace.',
  'Marketing templates are switched off for this way of sending.':
    'Las plantillas de marketing están desactivadas para esta forma de envío.',
  'Send them by the Marketing Messages API, or change that setting of the business account.':
    'Envíelas por la Marketing Messages API o cambie ese ajuste de la cuenta de empresa.',
  'The number of parameters is not the one that the template has.':
    'La cantidad de parámetros no es la que tiene la plantilla.',
  'There is no approved template of this name in this language.':
    'No hay ninguna plantilla aprobada con este nombre en este idioma.',
  'Check name and language, and that the template is approved.':
    'Compruebe el nombre y el idioma, y que la plantilla esté aprobada.',
  'With its parameters filled in, the text of the template is too long.':
    'Con sus parámetros completados, el texto de la plantilla es demasiado largo.',
  'Send shorter parameters.': 'Envíe parámetros más cortos.',
  'The template violates a policy of WhatsApp.': 'La plantilla infringe una política de WhatsApp.',
  'A parameter of the template has a wrong form.':
    'Un parámetro de la plantilla tiene un formato incorrecto.',
  'The template is paused, because of its low quality.': 'La plantilla está en pausa por su baja calidad.',
  'Send another template, or edit this one to raise its quality.':
    'Envíe otra plantilla, o edite esta para mejorar su calidad.',
  'The template was paused too often for its low quality, and is now disabled for good.':
    'La plantilla se puso en pausa demasiadas veces por su baja calidad y ahora está desactivada definitivamente.',
  'Make a new template with another text.': 'Cree una plantilla nueva con otro texto.',
  'The parameters of the template are not valid.': 'Los parámetros de la plantilla no son válidos.',
  'The flow of this message is blocked.': 'El flujo de este mensaje está bloqueado.',
  'Correct the flow in WhatsApp Manager.': 'Corrija el flujo en el WhatsApp Manager.',
  'The flow of this message is throttled: ten messages with it went out in the last hour.':
    'El flujo de este mensaje está limitado: en la última hora salieron diez mensajes con él.',
  'Correct the flow in WhatsApp Manager, or wait an hour.':
    'Corrija el flujo en el WhatsApp Manager o espere una hora.',
  'The template is new, and the platform is still making it ready.':
    'La plantilla es nueva, y la plataforma aún la está preparando.',
  'Send it again in ten minutes.': 'Envíela de nuevo en diez minutos.',
  'The template cannot be used at the moment.': 'La plantilla no se puede usar por el momento.',
  'The account has as many templates as it may have.':
    'La cuenta ya tiene todas las plantillas que puede tener.',
  'Delete templates that are no longer used.': 'Elimine plantillas que ya no se usen.',
  'A template with this name was deleted, and the name is locked for some time.':
    'Se eliminó una plantilla con este nombre, y el nombre queda bloqueado por un tiempo.',
  'Choose another name.': 'Elija otro nombre.',
  'A template with this name already exists in this language.':
    'Ya existe una plantilla con este nombre en este idioma.',
  'Edit it, or choose another name.': 'Edítela o elija otro nombre.',
  'The template has a field that is not possible there.':
    'La plantilla tiene un campo que no es posible ahí.',
  'The template lacks a field, such as a sample.': 'A la plantilla le falta un campo, como un ejemplo.',
  'The name of the template has other characters than lowercase letters, digits and underscores.':
    'El nombre de la plantilla tiene caracteres que no son letras minúsculas, dígitos ni guiones bajos.',
  'A button of the template has variables, emojis or formatting in its text.':
    'Un botón de la plantilla tiene variables, emojis o formato en su texto.',
  'The name of the template belongs to a sample template of the platform.':
    'El nombre de la plantilla pertenece a una plantilla de muestra de la plataforma.',
  'The template does not exist: it was deleted, or its name is another.':
    'La plantilla no existe: se eliminó o tiene otro nombre.',
  'Read the list of templates, and use a name from it.':
    'Lea la lista de plantillas y use un nombre de ella.',
  'The template cannot be changed to this state.': 'La plantilla no puede pasar a este estado.',
  'A field of the template is too long.': 'Un campo de la plantilla es demasiado largo.',
  'The header of the template has a wrong form.':
    'El encabezado de la plantilla tiene un formato incorrecto.',
  'The body of the template has a wrong form.': 'El cuerpo de la plantilla tiene un formato incorrecto.',
  'The footer of the template has a wrong form.': 'El pie de la plantilla tiene un formato incorrecto.',
  'The template has too many variables for so few words.':
    'La plantilla tiene demasiadas variables para tan pocas palabras.',
  'The template begins or ends with a variable.': 'La plantilla empieza o termina con una variable.',
  'The number could not be deregistered completely before.':
    'El número no se pudo dar de baja por completo antes.',
  'Deregister the number again, then register it.': 'Dé de baja el número de nuevo y después regístrelo.',
  'The PIN of two-step verification is wrong.': 'El PIN de la verificación en dos pasos es incorrecto.',
  'Register the number with the right PIN, or reset it in WhatsApp Manager.':
    'Registre el número con el PIN correcto o restablézcalo en el WhatsApp Manager.',
  'The line’s number has to be verified before it is registered.':
    'El número de la línea se tiene que verificar antes de registrarlo.',
  'Verify the number in WhatsApp Manager.': 'Verifique el número en el WhatsApp Manager.',
  'A wrong PIN was given too often.': 'Se indicó un PIN incorrecto demasiadas veces.',
  'Wait as long as the platform says.': 'Espere el tiempo que indica la plataforma.',
  'The PIN was given too soon after the last time.': 'El PIN se indicó demasiado pronto tras la última vez.',
  'The line’s number is not registered with the platform.':
    'El número de la línea no está registrado en la plataforma.',
  'The number was deleted a moment ago, and the platform is still at it.':
    'El número se eliminó hace un momento, y la plataforma aún lo está procesando.',
  'Wait five minutes, then register it.': 'Espere cinco minutos y regístrelo.',
  'No verification code could be sent.': 'No se pudo enviar un código de verificación.',
  'The verification code is wrong.': 'El código de verificación es incorrecto.',
  'Ask for a new code.': 'Pida un código nuevo.',
  'This account has already been invited.': 'Esta cuenta ya fue invitada.',
  'Continue with the first invitation.': 'Continúe con la primera invitación.',
  'The number has already been moved to this account.': 'El número ya se movió a esta cuenta.',
  'Nothing has to be done.': 'No hay que hacer nada.',
  'The number cannot be verified at the moment.': 'El número no se puede verificar por el momento.',
  'The number cannot be moved to this account.': 'El número no se puede mover a esta cuenta.',
  'The number was synchronised as often as it may be.':
    'El número ya se sincronizó tantas veces como se permite.',
  'The time in which the number could be synchronised has passed.':
    'El plazo para sincronizar el número ya pasó.',
  'Add the number to the platform again.': 'Agregue el número a la plataforma de nuevo.',
  'Calls are not switched on for the line’s number.':
    'Las llamadas no están activadas para el número de la línea.',
  'Switch calls on in its settings.': 'Active las llamadas en sus ajustes.',
  'The contact cannot take calls.': 'El contacto no puede recibir llamadas.',
  'Send a message instead.': 'Envíe un mensaje en su lugar.',
  'The number has as many calls at once as it may have.':
    'El número ya tiene todas las llamadas simultáneas que puede tener.',
  'There is a call with this contact already.': 'Ya hay una llamada con este contacto.',
  'Wait until it ends.': 'Espere a que termine.',
  'The call could not be connected.': 'La llamada no se pudo conectar.',
  'The number has made as many calls as it may make.':
    'El número ya hizo todas las llamadas que puede hacer.',
  'The contact has not permitted calls.': 'El contacto no permitió llamadas.',
  'Ask for the permission to call first.': 'Pida primero el permiso para llamar.',
  'The call was not connected in time.': 'La llamada no se conectó a tiempo.',
  'The contact was asked for the permission to call as often as is allowed.':
    'Ya se pidió al contacto el permiso para llamar tantas veces como se permite.',
  'The contact was called as often as is allowed in 24 hours.':
    'Ya se llamó al contacto tantas veces como se permite en 24 horas.',
  'The permission to call was looked up as often as is allowed.':
    'El permiso para llamar ya se consultó tantas veces como se permite.',
  'Calls cannot be switched on, because something that they need is not set up.':
    'Las llamadas no se pueden activar porque falta configurar algo que necesitan.',
  'Set up SIP, or subscribe an app to the webhook field "calls".':
    'Configure SIP o suscriba una app al campo de webhook "calls".',
  'A group with one member takes no messages.': 'Un grupo con un solo miembro no recibe mensajes.',
  'Invite somebody to the group.': 'Invite a alguien al grupo.',
  'There is no such group, or the line is not in it.': 'Ese grupo no existe o la línea no está en él.',
  'The list was read on from a place that has expired.': 'La lista se leyó desde un punto que venció.',
  'Read the list again from its start.': 'Lea la lista de nuevo desde el principio.',
  'Not everybody in the request could be changed.': 'No se pudo cambiar a todos los de la petición.',
  'The request names somebody twice.': 'Alguien figura dos veces en la petición.',
  'The group would have more members than it may have.':
    'El grupo tendría más miembros de los que puede tener.',
  'The group is suspended, because it violates a policy of the platform.':
    'El grupo está suspendido porque infringe una política de la plataforma.',
  'The number has changed groups too often in a short time.':
    'El número cambió grupos demasiadas veces en poco tiempo.',
  'The picture of a group must be as wide as high.': 'La imagen de un grupo tiene que ser cuadrada.',
  'Send a square picture.': 'Envíe una imagen cuadrada.',
  'The picture of a group must be larger than 192 pixels.':
    'La imagen de un grupo tiene que medir más de 192 píxeles.',
  'Send a larger picture.': 'Envíe una imagen más grande.',
  'The number has as many groups as it may have.': 'El número ya tiene todos los grupos que puede tener.',
  'Somebody in the request is not in the group.': 'Alguien de la petición no está en el grupo.',
  'There is no such request to join the group.': 'No existe esa solicitud para unirse al grupo.',
  'New groups are switched off for the account, because it sent too much marketing.':
    'Los grupos nuevos están desactivados para la cuenta porque envió demasiado marketing.',
  'Groups are not available to the line’s number.':
    'Los grupos no están disponibles para el número de la línea.',
  'The platform lets this account make no flows, because of its integrity.':
    'La plataforma no deja que esta cuenta cree flujos, por su integridad.',
  'The flow could not be changed.': 'El flujo no se pudo cambiar.',
  'The flow could not be published.': 'El flujo no se pudo publicar.',
  'The flow could not be deprecated.': 'El flujo no se pudo retirar.',
  'The flow could not be deleted.': 'El flujo no se pudo eliminar.',
  'Not every contact could be blocked or unblocked.':
    'No se pudo bloquear o desbloquear a todos los contactos.',
  'The list of blocked contacts is full.': 'La lista de contactos bloqueados está llena.',
  'Unblock contacts that need not be blocked.': 'Desbloquee contactos que no tengan que estar bloqueados.',
  'The list of blocked contacts changed while it was read.':
    'La lista de contactos bloqueados cambió mientras se leía.',
  'Read it again from its start.': 'Léala de nuevo desde el principio.',
  'Ask less often, and try again in a few minutes.':
    'Consulte con menos frecuencia e inténtelo de nuevo en unos minutos.',
  'Try again in a few minutes.': 'Inténtelo de nuevo en unos minutos.',
  'Try again. If it fails again, ask the platform’s support, with the errors as they came.':
    'Inténtelo de nuevo. Si vuelve a fallar, consulte al soporte de la plataforma con los errores tal como llegaron.',
  'Correct the field that the platform names, and try again.':
    'Corrija el campo que indica la plataforma e inténtelo de nuevo.',
  'Register the line’s number in WhatsApp Manager.': 'Registre el número de la línea en WhatsApp Manager.',
  'Fix what the platform reports, or contact its support with these errors.':
    'Corrija lo que indica la plataforma o contacte con su soporte y envíe estos errores.',
  'The file was handed to the platform, which did not answer.':
    'El archivo se entregó a la plataforma, que no respondió.',
  'Upload it again: the platform deletes a file that no message uses after 30 days.':
    'Súbalo de nuevo: la plataforma borra a los 30 días un archivo que ningún mensaje usa.',
  'Use another template, or wait.': 'Use otra plantilla, o espere.',
  'Choose an approved template.': 'Elija una plantilla aprobada.',
  '{contact} has never written to this line.': '{contact} nunca escribió a esta línea.',
  'it has more requests than it can answer in time':
    'tiene más peticiones de las que puede responder a tiempo',
  'its disk is almost full': 'su disco está casi lleno',
  'its database is slower than what arrives': 'su base de datos es más lenta que lo que llega',

  'Draft not found': 'Borrador no encontrado',
  'There is no such draft.': 'Este borrador no existe.',
  'It may have been deleted. Open the list of drafts.': 'Quizá se eliminó. Abra la lista de borradores.',
  'Draft changed': 'Borrador modificado',
  'Nothing was overwritten. Read the saved draft before you save yours.':
    'No se sobrescribió nada. Lea el borrador guardado antes de guardar el suyo.',
  'The draft cannot be submitted there: the language or the business account is not one of its own.':
    'El borrador no se puede enviar ahí: el idioma o la cuenta de empresa no es suyo.',
  'Open the draft again, and choose from what it shows.':
    'Abra de nuevo el borrador y elija entre lo que muestra.',
  'Password log-in is off': 'El inicio de sesión con contraseña está desactivado',
  'Only owners can log in with a password here.':
    'Aquí solo los propietarios pueden iniciar sesión con contraseña.',
  'Choose the provider of your company on the log-in page.':
    'Elija el proveedor de su empresa en la página de inicio de sesión.',
  'Provider not available': 'Proveedor no disponible',
  '{provider} cannot be reached, or its settings in the gateway are wrong.':
    'No se puede acceder a {provider}, o su configuración en el gateway es incorrecta.',
  'Try again in a moment, or log in with a password.':
    'Inténtelo de nuevo en un momento o inicie sesión con una contraseña.',
  'Log-in not completed': 'Inicio de sesión no completado',
  'The log-in at {provider} was not completed, took too long, or was used before.':
    'El inicio de sesión en {provider} no se completó, tardó demasiado o ya se usó.',
  'Start again from the log-in page.': 'Empiece de nuevo en la página de inicio de sesión.',
  'No access': 'Sin acceso',
  'You are logged in at {provider}, but have no access to this gateway.':
    'Ha iniciado sesión en {provider}, pero no tiene acceso a este gateway.',
  'Ask an owner of this gateway for access.': 'Pida acceso a un propietario de este gateway.',
  'Already linked': 'Ya vinculada',
  'This account at {provider} is already linked to a user.':
    'Esta cuenta de {provider} ya está vinculada a un usuario.',
  'Log in with another account there, or remove that link first.':
    'Inicie sesión allí con otra cuenta o quite antes ese vínculo.',
  'You are already linked to an account at {provider}.': 'Ya está vinculado a una cuenta de {provider}.',
  'Remove that link first.': 'Quite antes ese vínculo.',
  'Last way to log in': 'Última forma de iniciar sesión',
  'This is your only way to log in.': 'Esta es su única forma de iniciar sesión.',
  'Ask an owner for a link to set a password first.':
    'Pida antes a un propietario un enlace para definir una contraseña.',
};
