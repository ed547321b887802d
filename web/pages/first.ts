/**
 * What every visitor has loaded already: all that lobby and tables need.
 * A page that comes later imports it, so that the builder keeps it in one piece: that is smaller than many.
 */
import "./lobby.tsx";
import "./table.tsx";
import "./route.ts";
import "../parts/Keys.tsx";
import "../parts/Say.tsx";
