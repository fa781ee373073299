import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const messagePages: PanelRoute[] = [
  look('/messages', () =>
    page(
      'Messages',
      <>
        <PageHead title="Messages" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
