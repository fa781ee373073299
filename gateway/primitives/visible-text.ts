/** Invisible characters that a script or an emoji needs: joiners, variation selectors, and the tags of a flag. */
const NEEDED =
  /(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200c\u200d]|(?<=\p{Emoji})[\ufe0e\ufe0f]|\u{1f3f4}[\u{e0020}-\u{e007f}]+/gu;

const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether a text has control or other invisible characters, with which two names can look the same, or a name can
 * reverse the text around it.
 */
export const hasHiddenCharacters = (text: string): boolean => HIDDEN.test(text.replace(NEEDED, ''));
