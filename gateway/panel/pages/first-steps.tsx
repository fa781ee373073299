import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const firstStepPages: PanelRoute[] = [
  look('/start', () =>
    page(
      'First steps',
      <>
        <PageHead title="First steps" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
