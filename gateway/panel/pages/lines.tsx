import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const linePages: PanelRoute[] = [
  look('/lines', () =>
    page(
      'Lines',
      <>
        <PageHead title="Lines" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
