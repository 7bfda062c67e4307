// SPDX-License-Identifier: GPL-2.0
/*
 * How the page looks: with the fonts and the colour scheme of whoever reads it. Texts have
 * a contrast of 4.5 and more, and colours of marks differ for those who see few of them.
 */
#include "html.h"

static const char style[] =
	":root{color-scheme:light dark;--page:#fff;--text:#1b1f24;--soft:#57606a;"
	"--line:#d8dee4;--grid:#e7ebef;--panel:#f6f8fa;--link:#0550ae;"
	"--pass:#116329;--fail:#b3171f;--skip:#7d4e00;--wake:#0a62b5;--ldist:#b3bbc4;"
	"--declared:#c2222b;--level:#6e7781;"
	"--a:#0a62b5;--b:#c05600;--c:#0f7d5a;--d:#a3338a;--e:#8a6d00;--f:#5a52c9;--g:#4b5560}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--page:#0f1216;--text:#dfe4ea;"
	"--soft:#9aa5b1;--line:#333b45;--grid:#232a32;--panel:#171c22;--link:#7ab7ff;"
	"--pass:#57c878;--fail:#ff857d;--skip:#e0ae4a;--wake:#5ea9f2;--ldist:#505b67;"
	"--declared:#ff7b72;--level:#8b96a2;"
	"--a:#5ea9f2;--b:#f09a4e;--c:#4cc79d;--d:#e38bd0;--e:#d8bd4a;--f:#a8a1ff;--g:#a5afba}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:24px 16px 48px;max-width:1344px;background:var(--page);"
	"color:var(--text);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:24px;line-height:1.25;margin:0 0 4px}\n"
	"h2{font-size:19px;line-height:1.3;margin:20px 0 8px}\n"
	"h3{font-size:15px;margin:24px 0 6px}\n"
	"p{margin:6px 0;max-width:80ch}\n"
	"a{color:var(--link);text-decoration:none}\n"
	"a:hover{text-decoration:underline}\n"
	".soft,.note{color:var(--soft)}\n"
	"section+section{margin-top:40px;border-top:1px solid var(--line)}\n"
	"table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}\n"
	"th,td{text-align:left;vertical-align:top;padding:4px 14px 4px 0;"
	"border-bottom:1px solid var(--line)}\n"
	"th{color:var(--soft);font-weight:500;vertical-align:bottom}\n"
	"th.n,td.n{text-align:right;white-space:nowrap}\n"
	".wide{overflow-x:auto}.name{color:var(--soft);white-space:nowrap}\n"
	".PASS{color:var(--pass);font-weight:600}\n"
	".FAIL{color:var(--fail);font-weight:600}\n"
	".slower{color:var(--fail)}.faster{color:var(--pass)}\n"
	".SKIP{color:var(--skip);font-weight:600}\n"
	"dl.facts{display:flex;flex-wrap:wrap;gap:8px 28px;margin:12px 0 16px}\n"
	"dl.facts dt{color:var(--soft);font-size:13px}\n"
	"dl.facts dd{margin:0;font-variant-numeric:tabular-nums}\n"
	".plots{display:grid;gap:24px 28px;margin:16px 0;"
	"grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr))}\n"
	"figure{margin:0;min-width:0;max-width:640px}\n"
	"figcaption{font-size:13px;line-height:1.45}\n"
	"figcaption b{display:block;font-weight:600;font-size:14px}\n"
	".note{display:block}\n"
	".key{display:inline-block;margin-right:12px}\n"
	".key::before{content:'';display:inline-block;width:9px;height:9px;margin-right:5px;"
	"border-radius:50%;background:currentColor;color:var(--mark);"
	"print-color-adjust:exact}\n"
	".key.dash::before{width:18px;height:0;border-top:2px dashed;border-radius:0;"
	"background:none;vertical-align:4px}\n"
	"svg{display:block;width:100%;height:auto}\n"
	"svg text{font:12px system-ui,sans-serif;fill:var(--soft);"
	"font-variant-numeric:tabular-nums}\n"
	"svg path{fill:none;stroke:currentColor}\n"
	"svg .frame{color:var(--level)}\n"
	"svg .grid{color:var(--grid)}\n"
	".dots path{stroke:var(--mark);stroke-width:2.6;stroke-linecap:round}\n"
	".few.dots path{stroke-width:4}\n"
	".bars path{fill:var(--mark);stroke:none}\n"
	".line path{stroke:var(--mark);stroke-width:1.2}\n"
	".declared path{stroke-width:1.6;stroke-dasharray:6 3}\n"
	".level path{stroke-dasharray:2 3}\n"
	".change.dots path{stroke-width:8;stroke-opacity:.55}\n"
	".wake{--mark:var(--wake)}.ldist{--mark:var(--ldist)}\n"
	".declared{--mark:var(--declared)}.level{--mark:var(--level)}\n"
	".max,.k1,.k7{--mark:var(--b)}.p99,.k3,.k9{--mark:var(--c)}\n"
	".median,.k2,.k8{--mark:var(--a)}.change,.k5,.k10{--mark:var(--d)}\n"
	".k0{--mark:var(--g)}.k4,.k11{--mark:var(--e)}.k6,.k12{--mark:var(--f)}\n"
	".below{display:flex;flex-wrap:wrap;gap:0 56px}\n"
	".below>div{min-width:0;max-width:100%}\n"
	".environment{list-style:none;margin:0;padding:0;font-size:14px;columns:2 420px;"
	"column-gap:48px}\n"
	".environment li{padding:2px 0 2px 16px;text-indent:-16px;break-inside:avoid}\n"
	"@media (max-width:900px){\n"
	"body{padding:16px 12px 32px}\n"
	".cards,.cards tbody{display:block}\n"
	".cards thead{display:none}\n"
	".cards tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(104px,1fr));"
	"gap:2px 12px;padding:10px 0;border-bottom:1px solid var(--line)}\n"
	".cards td,.cards td.n{display:block;padding:0;border:0;text-align:left;"
	"white-space:normal}\n"
	".cards td[data-label]::before{content:attr(data-label);display:block;"
	"font-size:12px;line-height:1.3;color:var(--soft)}\n"
	".cards td.all{grid-column:1/-1}\n"
	".ten,.ten tbody{display:block;font-size:12px}\n"
	".ten thead{display:block}\n"
	".ten tr{display:grid;grid-template-columns:repeat(6,1fr);column-gap:6px;"
	"border-bottom:1px solid var(--line)}\n"
	".ten td,.ten th{padding:2px 0;border:0}\n"
	".ten td:last-child,.ten th:last-child{grid-column:1/-1}\n"
	"}\n"
	"@media print{:root{color-scheme:light}body{max-width:none;padding:0;font-size:11pt}\n"
	"figure,tr{break-inside:avoid}h2,h3{break-after:avoid}\n"
	".plots{grid-template-columns:1fr 1fr}}\n";

void html_begin(FILE *page, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      /* A browser asks for an icon where the page names none. */
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      page);
	html_text(page, title);
	fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void html_end(FILE *page)
{
	fputs("</body>\n</html>\n", page);
}
