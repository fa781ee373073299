/** Where `main.js` lies, and beneath it all that is read from a file: the same bundled and compiled file by file. */
export const PROGRAM_FOLDER = __dirname;
