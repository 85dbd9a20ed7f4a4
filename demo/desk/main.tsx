/** The owner's desk: shows and changes what an agent has, through the public API alone. */

import { render } from 'preact';
import './desk.css';
import './form.css';
import './list.css';
import './content.css';
import { Desk } from './shell.tsx';

render(<Desk />, document.querySelector('#desk')!);
