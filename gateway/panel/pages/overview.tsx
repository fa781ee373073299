import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const overviewPages: PanelRoute[] = [
  look('/overview', () =>
    page(
      'Overview',
      <>
        <PageHead title="Overview" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
