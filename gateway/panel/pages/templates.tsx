import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const templatePages: PanelRoute[] = [
  look('/templates', () =>
    page(
      'Templates',
      <>
        <PageHead title="Templates" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
