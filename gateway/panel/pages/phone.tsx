import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const phonePages: PanelRoute[] = [
  look('/phone', () =>
    page(
      'Sandbox phone',
      <>
        <PageHead title="Sandbox phone" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
