/** The texts that the platform writes into authentication templates. `{minutes}`: the number of minutes. */
export interface AuthenticationTexts {
  body: string;
  advice: string;
  expiry: string;
  copy: string;
  autofill: string;
}

/** By language without country. The platform has more languages, of which it publishes no texts. */
const TEXTS: Record<string, AuthenticationTexts> = {
  en: {
    body: '*{{1}}* is your verification code.',
    advice: 'For your security, do not share this code.',
    expiry: 'This code expires in {minutes} minutes.',
    copy: 'Copy code',
    autofill: 'Autofill',
  },
  pt: {
    body: '*{{1}}* é seu código de verificação.',
    advice: 'Para sua segurança, não o compartilhe.',
    expiry: 'Este código expira em {minutes} minutos.',
    copy: 'Copiar código',
    autofill: 'Preencher automaticamente',
  },
  es: {
    body: '*{{1}}* es tu código de verificación.',
    advice: 'Por tu seguridad, no lo compartas.',
    expiry: 'Este código caduca en {minutes} minutos.',
    copy: 'Copiar código',
    autofill: 'Autocompletar',
  },
  fr: {
    body: '*{{1}}* est votre code de vérification.',
    advice: 'Pour votre sécurité, ne le partagez pas.',
    expiry: 'Ce code expire dans {minutes} minutes.',
    copy: 'Copier le code',
    autofill: 'Remplir automatiquement',
  },
  de: {
    body: '*{{1}}* ist dein Verifizierungscode.',
    advice: 'Teile diesen Code zu deiner Sicherheit nicht.',
    expiry: 'Dieser Code läuft in {minutes} Minuten ab.',
    copy: 'Code kopieren',
    autofill: 'Automatisch ausfüllen',
  },
  it: {
    body: '*{{1}}* è il tuo codice di verifica.',
    advice: 'Per la tua sicurezza, non condividerlo.',
    expiry: 'Questo codice scade tra {minutes} minuti.',
    copy: 'Copia codice',
    autofill: 'Compila automaticamente',
  },
  ar: {
    body: '*{{1}}* هو كود التحقق الخاص بك.',
    advice: 'للحفاظ على أمانك، لا تشارك هذا الكود.',
    expiry: 'تنتهي صلاحية هذا الكود خلال {minutes} دقيقة.',
    copy: 'نسخ الكود',
    autofill: 'ملء تلقائي',
  },
};

/** @returns null for a language whose texts are not known here */
export const authenticationTexts = (language: string): AuthenticationTexts | null =>
  TEXTS[language.split(/[_-]/)[0] ?? ''] ?? null;

export const ENGLISH_TEXTS = TEXTS.en as AuthenticationTexts;
