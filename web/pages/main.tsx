/** The page's entry: renders it into the document. */
import { render } from "preact";

render(<h1>Fairground</h1>, document.body);
