// What models and users write in the stories, in the three languages of the page. Used by sample-view.ts.

import type { Language } from '../../../i18n/translator.js'

export interface StoryTexts {
  readonly database: { readonly text: string; readonly header: string; readonly choices: readonly Choice[] }
  readonly checks: { readonly text: string; readonly choices: readonly string[] }
  readonly rename: { readonly text: string; readonly choices: readonly string[] }
  readonly answered: string
  readonly callbacks: { readonly deploy: string; readonly tests: string; readonly certificate: string }
  readonly goal: string
  readonly refunds: { readonly name: string; readonly steps: readonly string[] }
  readonly upgrade: { readonly name: string; readonly steps: readonly string[] }
  readonly health: string
  readonly search: { readonly name: string; readonly steps: readonly string[] }
}

interface Choice {
  readonly label: string
  readonly description: string | null
}

export const TEXTS: Readonly<Record<Language, StoryTexts>> = {
  en: {
    database: {
      text: 'The refund tests need a database. Which one should they use?',
      header: 'Test database',
      choices: [
        { label: 'SQLite in memory', description: 'Fast, nothing to install; differs from production in locking.' },
        { label: 'PostgreSQL in a container', description: 'As in production; 6 s slower per run.' },
        { label: 'The shared staging database', description: null },
      ],
    },
    checks: { text: 'Which checks should run before every commit?', choices: ['Types', 'Lint', 'Unit tests'] },
    rename: {
      text: 'May I rename the folder “drafts” to “entries”? 14 links point to it; I would update them.',
      choices: ['Rename and update', 'Leave it'],
    },
    answered: 'The answer to “Which map service?” is: OpenStreetMap.',
    callbacks: {
      deploy: 'Check whether the deployment has finished, and report the error rate.',
      tests: 'If the tests are green, go on with step 3.',
      certificate: 'Look at the log for renewed certificates.',
    },
    goal: 'Refunds in parts: an order can be refunded item by item, each once.',
    refunds: {
      name: 'Refunds in parts',
      steps: [
        'Write down the states of a refund',
        'Table and migration',
        'Endpoint with idempotency key',
        'Concurrency tests',
        'Page in the handbook',
      ],
    },
    upgrade: { name: 'Upgrade the payment client to 5.x', steps: ['Read the changes', 'Replace the callbacks'] },
    health: 'Find out why /health is slow after a deploy',
    search: { name: 'Search across all notes', steps: ['Index titles', 'Index bodies', 'Rank by age'] },
  },
  ko: {
    database: {
      text: '환불 테스트에 데이터베이스가 필요합니다. 어느 것을 사용할까요?',
      header: '테스트 데이터베이스',
      choices: [
        {
          label: '인메모리 SQLite',
          description: '빠르고 설치할 것이 없습니다. 잠금 방식이 운영 환경과 다릅니다.',
        },
        {
          label: '컨테이너로 실행한 PostgreSQL',
          description: '운영 환경과 같습니다. 실행할 때마다 6초 더 걸립니다.',
        },
        { label: '공유 스테이징 데이터베이스', description: null },
      ],
    },
    checks: { text: '커밋하기 전마다 어떤 검사를 실행할까요?', choices: ['타입', '린트', '단위 테스트'] },
    rename: {
      text: '폴더 이름을 drafts에서 entries로 바꿀까요? 링크 14개가 이 폴더를 가리키며, 링크도 함께 고칩니다.',
      choices: ['이름을 바꾸고 링크도 수정', '그대로 두기'],
    },
    answered: '“어떤 지도 서비스를 사용할까요?”에 대한 답변: OpenStreetMap',
    callbacks: {
      deploy: '배포가 끝났는지 확인하고 오류율을 보고하세요.',
      tests: '테스트가 통과하면 3단계를 진행하세요.',
      certificate: '갱신된 인증서가 로그에 있는지 확인하세요.',
    },
    goal: '부분 환불: 주문의 각 상품을 따로, 한 번씩만 환불할 수 있게 합니다.',
    refunds: {
      name: '부분 환불',
      steps: [
        '환불 상태 정리',
        '테이블과 마이그레이션',
        '멱등성 키가 있는 엔드포인트',
        '동시성 테스트',
        '안내서 페이지',
      ],
    },
    upgrade: { name: '결제 클라이언트를 5.x로 업그레이드', steps: ['변경 사항 읽기', '콜백 교체'] },
    health: '배포 후 /health가 느린 이유 찾기',
    search: { name: '모든 메모 검색', steps: ['제목 색인', '본문 색인', '날짜순 정렬'] },
  },
  ar: {
    database: {
      text: 'تحتاج اختبارات استرداد المبالغ إلى قاعدة بيانات. أي قاعدة أستخدم؟',
      header: 'قاعدة بيانات الاختبار',
      choices: [
        {
          label: 'SQLite في الذاكرة',
          description: 'سريعة ولا تحتاج إلى تثبيت. آلية الأقفال فيها تختلف عن بيئة الإنتاج.',
        },
        { label: 'PostgreSQL في حاوية', description: 'كما في بيئة الإنتاج. يستغرق كل تشغيل 6 ثوانٍ إضافية.' },
        { label: 'قاعدة البيانات المشتركة في بيئة staging', description: null },
      ],
    },
    checks: {
      text: 'ما الفحوص التي يجب تنفيذها قبل كل إيداع (commit)؟',
      choices: ['فحص الأنواع', 'فحص الأسلوب (lint)', 'اختبارات الوحدات'],
    },
    rename: {
      text: 'هل أعيد تسمية المجلد drafts إلى entries؟ يشير إليه 14 رابطًا، وسأحدّثها أيضًا.',
      choices: ['إعادة التسمية وتحديث الروابط', 'تركه كما هو'],
    },
    answered: 'الإجابة عن السؤال «أي خدمة خرائط نستخدم؟»: OpenStreetMap',
    callbacks: {
      deploy: 'تحقق من انتهاء النشر وأبلغ عن معدل الأخطاء.',
      tests: 'إذا نجحت الاختبارات فتابع بالخطوة 3.',
      certificate: 'ابحث في السجل عن الشهادات المجدَّدة.',
    },
    goal: 'الاسترداد الجزئي: يمكن استرداد ثمن كل منتج في الطلب على حدة، ومرة واحدة فقط.',
    refunds: {
      name: 'الاسترداد الجزئي',
      steps: [
        'تحديد حالات الاسترداد',
        'الجدول والترحيل (migration)',
        'نقطة نهاية تقبل مفتاح منع التكرار',
        'اختبارات التزامن',
        'صفحة في الدليل',
      ],
    },
    upgrade: { name: 'ترقية عميل الدفع إلى الإصدار 5', steps: ['قراءة التغييرات', 'استبدال ردود النداء'] },
    health: 'معرفة سبب بطء health بعد النشر',
    search: { name: 'البحث في كل الملاحظات', steps: ['فهرسة العناوين', 'فهرسة النصوص', 'الترتيب بحسب التاريخ'] },
  },
}
