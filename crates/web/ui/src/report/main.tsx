/** The file that `tabiya report` writes: its data are in the document, and nothing is loaded. */

import { render } from 'preact';
import { DocumentBody, type ReportDocument } from '../results/document.tsx';

const report = JSON.parse(document.getElementById('report')?.textContent || '{"title":"No report","sections":[]}') as ReportDocument;
document.title = report.title;
render(
  <main class="text-page">
    <h1>{report.title}</h1>
    <DocumentBody report={report} links={false} />
  </main>,
  document.getElementById('page') as HTMLElement,
);
