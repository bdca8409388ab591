import { render } from "preact";
import { App } from "./app";
import { startLanguage } from "./i18n";
import { start } from "./state";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/arms.css";
import "./styles/view.css";
import "./styles/panel.css";
import { startTheme } from "./theme";

startLanguage();
startTheme();
const page = document.getElementById("page");
if (page !== null) render(<App />, page);
void start();
