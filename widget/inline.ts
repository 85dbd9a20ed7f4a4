/** The script for pages that have written the chat into their own layout: `<porchlight-chat bot-id="…">`. */
import { defineBox } from './box.ts';

const { src } = (document.currentScript ?? { src: '' }) as HTMLScriptElement;
defineBox(src || undefined);
